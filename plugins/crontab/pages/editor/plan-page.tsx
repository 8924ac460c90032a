import { Anchor, Skeleton, Text } from '@mantine/core'
import { ArrowLeftIcon } from '@primer/octicons-react'
import { NEW_PLAN, PAGE, type PageConsole } from '../page-console.ts'
import { WORDS } from '../plans-words.ts'
import { PlanEditor } from './plan-editor.tsx'

type PlanPageProps = { readonly console: PageConsole; readonly id: string }

/** One plan, or a new one. */
export function PlanPage({ console, id }: PlanPageProps) {
  const words = console.words(WORDS)
  const { PageFrame, Problem } = console.components
  const isNew = id === NEW_PLAN
  const { data, error, refresh } = console.useCall(isNew ? undefined : 'GET /plan/api/list')
  const plan = data?.data.find((one) => String(one.id) === id)
  const description = (
    <Anchor size="sm" {...console.link(PAGE)}>
      <ArrowLeftIcon /> {words.back}
    </Anchor>
  )
  if (isNew || plan !== undefined) {
    return <PlanEditor console={console} plan={plan} description={description} onSaved={refresh} />
  }
  return (
    <PageFrame title={words.title} description={description}>
      {error !== undefined && <Problem error={error} onRetry={() => void refresh()} />}
      {data === undefined && error === undefined && <Skeleton height={420} />}
      {data !== undefined && <Text>{words.notFound}</Text>}
    </PageFrame>
  )
}
