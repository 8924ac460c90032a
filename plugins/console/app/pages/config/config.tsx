import type { PageProps } from 'sluice/sdk/console'
import type { Paths } from 'sluice/api'

export default function Config({ console }: PageProps<Paths>) {
  const { PageFrame } = console.components
  return <PageFrame title="Config">…</PageFrame>
}
