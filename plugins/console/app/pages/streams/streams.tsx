import type { PageProps } from 'sluice/sdk/console'
import type { Paths } from 'sluice/api'

export default function Streams({ console }: PageProps<Paths>) {
  const { PageFrame } = console.components
  return <PageFrame title="Streams">…</PageFrame>
}
