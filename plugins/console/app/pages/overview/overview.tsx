import type { PageProps } from 'sluice/sdk/console'
import type { Paths } from 'sluice/api'

export default function Overview({ console }: PageProps<Paths>) {
  const { PageFrame } = console.components
  return <PageFrame title="Overview">…</PageFrame>
}
