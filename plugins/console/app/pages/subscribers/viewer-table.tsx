import { Anchor, Group, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import type { Column, Console } from 'sluice/sdk/console'
import type { Paths } from 'sluice/api'
import { MoveViewer } from './move-viewer.tsx'
import { VIEWER_WORDS } from './viewer-words.ts'
import type { Viewer } from './viewer.ts'

type Props = {
  readonly console: Console<Paths>
  /** Those of one stream; all where it is undefined. */
  readonly streamPath?: string
}

const PAGE_SIZE = 20
const REFRESH_MS = 2000

/** The viewers of a stream, or of all, page by page. */
export function ViewerTable({ console, streamPath }: Props) {
  const { DataTable, Problem, SearchInput } = console.components
  const words = console.words(VIEWER_WORDS)
  const [search, setSearch] = useState('')
  const [page, setPage] = useState(1)
  const query = { pageNum: page, pageSize: PAGE_SIZE, ...(search !== '' && { search }) }
  const ofStream = console.useCall(
    streamPath === undefined ? undefined : 'GET /api/subscribers/{streamPath}',
    { params: { streamPath: streamPath ?? '' }, query },
    { refreshMs: REFRESH_MS },
  )
  const ofAll = console.useCall(
    streamPath === undefined ? 'GET /api/subscribers' : undefined,
    { query },
    { refreshMs: REFRESH_MS },
  )
  const { data, error, refresh } = streamPath === undefined ? ofAll : ofStream
  const nobody = streamPath === undefined ? words.empty : words.emptyOfStream
  return (
    <Stack gap="md">
      <SearchInput
        label={words.search}
        onSearch={(text) => {
          setSearch(text)
          setPage(1)
        }}
      />
      {error !== undefined && <Problem error={error} onRetry={() => void refresh()} />}
      <DataTable
        label={words.table}
        columns={columnsOf(console, streamPath, () => void refresh())}
        rows={data?.data}
        rowKey={({ id }) => String(id)}
        empty={search === '' ? nobody : words.notFound(search)}
        {...(data && { paging: { page, pageSize: PAGE_SIZE, total: data.total, onPage: setPage } })}
      />
    </Stack>
  )
}

function columnsOf(
  console: Console<Paths>,
  streamPath: string | undefined,
  onChange: () => void,
): readonly Column<Viewer>[] {
  const { format } = console
  const words = console.words(VIEWER_WORDS)
  const stream: Column<Viewer> = {
    key: 'stream',
    title: words.stream,
    render: (viewer) => (
      <Anchor size="sm" {...console.link(console.streamPage(viewer.streamPath))} style={{ overflowWrap: 'anywhere' }}>
        {viewer.streamPath}
      </Anchor>
    ),
  }
  return [
    ...(streamPath === undefined ? [stream] : []),
    {
      key: 'address',
      title: words.address,
      render: ({ remoteAddr, meta, sourcePath, streamPath: askedFor }) => (
        <div>
          <Text size="sm">{remoteAddr || words.server}</Text>
          <Text size="xs" c="dimmed" lineClamp={1} title={userAgentOf(meta)}>
            {userAgentOf(meta)}
          </Text>
          {sourcePath !== askedFor && <Text size="xs">{words.movedTo(sourcePath)}</Text>}
        </div>
      ),
    },
    {
      key: 'protocol',
      title: words.protocol,
      render: ({ pluginName, type }) =>
        type === 'server' ? pluginName : `${pluginName}, ${words.types[type] ?? type}`,
    },
    {
      key: 'buffer',
      title: words.buffer,
      align: 'end',
      isMinor: true,
      render: ({ queuedBytes }) => format.bytes(Number(queuedBytes)),
    },
    { key: 'sent', title: words.sent, align: 'end', render: ({ sentBytes }) => format.bytes(Number(sentBytes)) },
    {
      key: 'dropped',
      title: words.dropped,
      align: 'end',
      isMinor: true,
      render: ({ dropped }) => format.number(dropped),
    },
    {
      key: 'since',
      title: words.since,
      align: 'end',
      render: ({ startTime }) => format.duration(Date.now() - Date.parse(startTime)),
    },
    ...(console.user.mayChange
      ? [{ key: 'actions', title: words.actions, align: 'end', render: actionsOf(console, onChange) } as const]
      : []),
  ]
}

function actionsOf(console: Console<Paths>, onChange: () => void) {
  const { ConfirmButton } = console.components
  const words = console.words(VIEWER_WORDS)
  return (viewer: Viewer) => (
    <Group gap={6} justify="flex-end" wrap="nowrap">
      {/* The server's own sessions pass the stream on to others. */}
      {viewer.type === 'server' && <MoveViewer console={console} viewer={viewer} onChange={onChange} />}
      <ConfirmButton
        label={words.kickLabel(viewer.id)}
        question={words.kickQuestion(viewer.remoteAddr || words.server)}
        onConfirm={async () => {
          const params = { id: viewer.id }
          await console.change(
            () => console.api.call('POST /api/subscribe/stop/{id}', { params, body: {} }),
            words.kicked,
          )
          onChange()
        }}
      >
        {words.kick}
      </ConfirmButton>
    </Group>
  )
}

function userAgentOf(meta: string): string {
  try {
    const { userAgent } = JSON.parse(meta) as { readonly userAgent?: unknown }
    return typeof userAgent === 'string' ? userAgent : ''
  } catch {
    return ''
  }
}
