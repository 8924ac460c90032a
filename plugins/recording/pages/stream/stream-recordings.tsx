import { Anchor, Skeleton } from '@mantine/core'
import { ArrowLeftIcon } from '@primer/octicons-react'
import { dateOf } from '../calendar.ts'
import { titleOf, type PageConsole, type Subject } from '../page-console.ts'
import { RecordedDay } from './recorded-day.tsx'
import { WORDS } from '../recordings-words.ts'

const PAGE = '/recording/recordings'

/** The recordings of a stream, at first those of the last day that has some. */
export function StreamRecordings({ console, subject }: { readonly console: PageConsole; readonly subject: Subject }) {
  const words = console.words(WORDS)
  const { PageFrame, Problem } = console.components
  const newest = console.useCall('GET /api/record/{type}/list/{streamPath}', {
    params: { ...subject },
    query: { pageSize: 1 },
  })
  const latest = newest.data?.data[0]
  const description = (
    <Anchor size="sm" {...console.link(PAGE)}>
      <ArrowLeftIcon /> {words.back}
    </Anchor>
  )
  if (newest.data !== undefined) {
    return (
      <RecordedDay
        console={console}
        subject={subject}
        description={description}
        firstDate={dateOf(latest === undefined ? Date.now() : Date.parse(latest.startTime))}
      />
    )
  }
  return (
    <PageFrame title={titleOf(subject)} description={description}>
      {newest.error === undefined ? (
        <Skeleton height={640} />
      ) : (
        <Problem error={newest.error} onRetry={() => void newest.refresh()} />
      )}
    </PageFrame>
  )
}
