import { Button, SegmentedControl } from '@mantine/core'
import { PlusIcon } from '@primer/octicons-react'
import { useState } from 'react'
import type { Paths } from 'sluice/api'
import type { Console, PageProps } from 'sluice/sdk/console'
import { JobDetail } from './relays/job-detail.tsx'
import { JobTable } from './relays/job-table.tsx'
import { useJobs, type Job, type Kind } from './relays/job.ts'
import { PullForm } from './relays/pull-form.tsx'
import { PushForm } from './relays/push-form.tsx'
import { WORDS } from './relays/relays-words.ts'
import { RuleList } from './relays/rule-list.tsx'

const PAGE_SIZE = 25
/** The parts of the page, by its address. */
const PARTS = { '': 'pull', pushes: 'push', rules: 'rules' } as const

type Part = (typeof PARTS)[keyof typeof PARTS]

/** The pulls that go on, and at `pushes` and `rules` the pushes and the rules of the config. */
export default function Relays({ console, path }: PageProps<Paths>) {
  const words = console.words(WORDS)
  const { PageFrame } = console.components
  const part: Part = path === 'pushes' || path === 'rules' ? PARTS[path] : 'pull'
  const [isAdding, setAdding] = useState(false)
  return (
    <PageFrame
      title={words.title}
      description={words.description}
      actions={
        part !== 'rules' &&
        console.user.mayChange && (
          <Button leftSection={<PlusIcon />} onClick={() => setAdding(true)}>
            {words.add[part]}
          </Button>
        )
      }
    >
      <SegmentedControl
        aria-label={words.partsLabel}
        value={part}
        data={Object.values(PARTS).map((value) => ({ value, label: words.parts[value] }))}
        onChange={(next: Part) => console.navigate(addressOf(next))}
        style={{ alignSelf: 'flex-start' }}
      />
      {part === 'rules' ? (
        <RuleList console={console} />
      ) : (
        <Jobs key={part} console={console} kind={part} isAdding={isAdding} onAdded={() => setAdding(false)} />
      )}
    </PageFrame>
  )
}

function addressOf(part: Part): string {
  const [path = ''] = Object.entries(PARTS).find(([, value]) => value === part) ?? []
  return path === '' ? '/relay/relays' : `/relay/relays/${path}`
}

type JobsProps = {
  readonly console: Console<Paths>
  readonly kind: Kind
  readonly isAdding: boolean
  readonly onAdded: () => void
}

/** The list of the pulls or pushes, and what opens beside it. */
function Jobs({ console, kind, isAdding, onAdded }: JobsProps) {
  const words = console.words(WORDS)
  const { Problem, SearchInput } = console.components
  const [search, setSearch] = useState('')
  const [page, setPage] = useState(1)
  const [opened, setOpened] = useState<Job>()
  const query = { pageNum: page, pageSize: PAGE_SIZE, ...(search !== '' && { search }) }
  const { jobs, total, error, refresh } = useJobs(console, kind, query)
  const shown = opened && jobs?.find(({ id }) => id === opened.id)
  const Form = kind === 'pull' ? PullForm : PushForm
  return (
    <>
      <SearchInput
        label={words.search}
        onSearch={(text) => {
          setPage(1)
          setSearch(text)
        }}
      />
      {error !== undefined && <Problem error={error} onRetry={() => void refresh()} />}
      <JobTable
        console={console}
        kind={kind}
        rows={jobs}
        empty={search === '' ? words.empty[kind] : words.notFound}
        paging={{ page, pageSize: PAGE_SIZE, total, onPage: setPage }}
        onOpen={setOpened}
        onChanged={refresh}
      />
      {opened !== undefined && (
        <JobDetail
          console={console}
          kind={kind}
          job={shown ?? opened}
          isOver={shown === undefined}
          onClose={() => setOpened(undefined)}
          onChanged={refresh}
        />
      )}
      {isAdding && <Form console={console} onClose={onAdded} onBegun={refresh} />}
    </>
  )
}
