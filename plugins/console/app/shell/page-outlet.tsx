import { Skeleton, Stack, Text, Title } from '@mantine/core'
import { lazy, Suspense, type ComponentType, type ReactNode } from 'react'
import { Redirect, useLocation } from 'wouter'
import type { PageProps } from 'sluice/sdk/console'
import type { Paths } from 'sluice/api'
import { useWords } from '../kit/language.ts'
import { useConsole } from '../kit/use-console.ts'
import { OWN_PAGES } from '../pages/own-pages.ts'
import { FormPage } from './form-page.tsx'
import { modulePage } from './module-page.tsx'
import { PageBoundary } from './page-boundary.tsx'
import { PageFailure } from './page-failure.tsx'
import type { PluginPage } from './plugin-pages.ts'
import { SHELL_WORDS } from './shell-words.ts'

const own = new Map(OWN_PAGES.map(({ path, load }) => [path, lazy(load)]))

/** Shows the page that the address names. */
export function PageOutlet({ pages }: { readonly pages: readonly PluginPage[] | undefined }) {
  const [location] = useLocation()
  const words = useWords(SHELL_WORDS)
  const console = useConsole()
  const [first = '', ...rest] = location.slice(1).split('/')
  if (first === '') return <Redirect to={`/${OWN_PAGES[0]?.path ?? ''}`} replace />

  const Own = own.get(first)
  if (Own !== undefined) return frame(first, <Own console={console} path={decoded(rest)} />)
  if (pages === undefined) return <Skeleton height={320} />
  const page = pages.find(({ kind, path }) => kind !== 'link' && (location === path || location.startsWith(`${path}/`)))
  if (page === undefined) {
    return (
      <Stack>
        <Title order={1} size="h2">
          {words.notFound}
        </Title>
        <Text>{words.notFoundText}</Text>
      </Stack>
    )
  }
  return frame(page.path, <OfPlugin page={page} console={console} path={decoded(rest.slice(1))} />, page)

  function frame(key: string, content: ReactNode, ofPlugin?: PluginPage) {
    return (
      <PageBoundary key={key} fallback={(error, retry) => <PageFailure error={error} retry={retry} page={ofPlugin} />}>
        <Suspense fallback={<Skeleton height={320} />}>{content}</Suspense>
      </PageBoundary>
    )
  }
}

function OfPlugin({ page, ...props }: PageProps<Paths> & { readonly page: PluginPage }) {
  if (page.kind === 'form') return <FormPage {...props} title={page.title} form={page.form} />
  if (page.kind === 'link') return null
  const Page: ComponentType<PageProps<Paths>> = modulePage(page.module)
  return <Page {...props} />
}

function decoded(parts: readonly string[]): string {
  try {
    return parts.map(decodeURIComponent).join('/')
  } catch {
    return parts.join('/')
  }
}
