import type { PageProps } from 'sluice/sdk/console'
import type { Paths } from 'sluice/api'
import { SectionList } from './section-list.tsx'
import { SectionPage } from './section-page.tsx'

export default function Config({ console, path }: PageProps<Paths>) {
  return path === '' ? <SectionList console={console} /> : <SectionPage key={path} console={console} name={path} />
}
