import type { PageProps } from 'sluice/sdk/console'
import type { Paths } from 'sluice/api'
import { PlanPage } from './editor/plan-page.tsx'
import { PlanList } from './list/plan-list.tsx'

/** All plans, and at `{id}` one of them; at `new` one that is to be added. */
export default function Plans({ console, path }: PageProps<Paths>) {
  return path === '' ? <PlanList console={console} /> : <PlanPage key={path} console={console} id={path} />
}
