import type { PageProps } from 'sluice/sdk/console'
import type { Paths } from 'sluice/api'
import { ViewerTable } from './viewer-table.tsx'
import { VIEWER_WORDS } from './viewer-words.ts'

/** All viewers of all streams. */
export default function Subscribers({ console }: PageProps<Paths>) {
  const { PageFrame } = console.components
  const words = console.words(VIEWER_WORDS)
  return (
    <PageFrame title={words.title} description={words.description}>
      <ViewerTable console={console} />
    </PageFrame>
  )
}
