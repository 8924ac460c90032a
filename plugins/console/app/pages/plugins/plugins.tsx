import type { PageProps } from 'sluice/sdk/console'
import type { Paths } from 'sluice/api'

export default function Plugins({ console }: PageProps<Paths>) {
  const { PageFrame } = console.components
  return <PageFrame title="Plugins">…</PageFrame>
}
