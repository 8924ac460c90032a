import { Button, Group, SegmentedControl, Select } from '@mantine/core'
import { PlusIcon } from '@primer/octicons-react'
import { useState } from 'react'
import type { Paths } from 'sluice/api'
import type { PageProps } from 'sluice/sdk/console'
import { WORDS } from './proxies/proxies-words.ts'
import { useProxies, type Kind, type Proxy } from './proxies/proxy.ts'
import { ProxyForm } from './proxies/proxy-form.tsx'
import { ProxyTable } from './proxies/proxy-table.tsx'

const PAGE_SIZE = 25

/** The list of pull proxies, and at `push` that of push proxies. */
export default function Proxies({ console, path }: PageProps<Paths>) {
  const kind = path === 'push' ? 'push' : 'pull'
  const words = console.words(WORDS)
  const { PageFrame, Problem, SearchInput } = console.components
  const [search, setSearch] = useState('')
  const [status, setStatus] = useState<string | null>(null)
  const [page, setPage] = useState(1)
  /** The proxy in the form; `new` for one that is to be added. */
  const [edited, setEdited] = useState<Proxy | 'new'>()
  const { proxies, total, error, refresh } = useProxies(console, kind, {
    pageNum: page,
    pageSize: PAGE_SIZE,
    ...(search !== '' && { search }),
    ...(status !== null && { status: Number(status) }),
  })
  const isFiltered = search !== '' || status !== null

  return (
    <PageFrame
      title={words.title}
      description={words.description}
      actions={
        console.user.mayChange && (
          <Button leftSection={<PlusIcon />} onClick={() => setEdited('new')}>
            {words.add[kind]}
          </Button>
        )
      }
    >
      <Group>
        <SegmentedControl
          aria-label={words.kindsLabel}
          value={kind}
          data={(['pull', 'push'] as const).map((value) => ({ value, label: words.kinds[value] }))}
          onChange={(next: Kind) => {
            setPage(1)
            console.navigate(next === 'push' ? '/proxy/proxies/push' : '/proxy/proxies')
          }}
        />
        <SearchInput
          label={words.search}
          onSearch={(text) => {
            setPage(1)
            setSearch(text)
          }}
        />
        <Select
          aria-label={words.state}
          placeholder={words.anyState}
          clearable
          clearButtonProps={{ 'aria-label': words.anyState }}
          data={words.states[kind].map((label, value) => ({ value: String(value), label }))}
          value={status}
          onChange={(next) => {
            setPage(1)
            setStatus(next)
          }}
          w={150}
        />
      </Group>
      {error !== undefined && <Problem error={error} onRetry={() => void refresh()} />}
      <ProxyTable
        console={console}
        kind={kind}
        rows={proxies}
        empty={isFiltered ? words.notFound : words.empty[kind]}
        paging={{ page, pageSize: PAGE_SIZE, total, onPage: setPage }}
        onEdit={setEdited}
        onChanged={refresh}
      />
      {edited !== undefined && (
        <ProxyForm
          console={console}
          kind={kind}
          proxy={edited === 'new' ? undefined : edited}
          onClose={() => setEdited(undefined)}
          onSaved={refresh}
        />
      )}
    </PageFrame>
  )
}
