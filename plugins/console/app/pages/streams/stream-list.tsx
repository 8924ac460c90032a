import { Badge, Button, Group, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { UploadIcon } from '@primer/octicons-react'
import { lazy, Suspense } from 'react'
import type { Column, Console } from 'sluice/sdk/console'
import type { Paths } from 'sluice/api'
import { bytesIn, bytesOut, mediaText, type ListedStream } from './stream-media.ts'
import { STREAMS_WORDS } from './streams-words.ts'
import { PUSH_WORDS } from './push-url/push-words.ts'
import { WaitedFor } from './waited-for.tsx'

const PAGE_SIZE = 20
const REFRESH_MS = 2000

const PushDialog = lazy(() => import('./push-url/push-dialog.tsx'))

/** The part of the list that is seen. */
export type ListPlace = { readonly search: string; readonly page: number }

type Props = {
  readonly console: Console<Paths>
  readonly place: ListPlace
  readonly onPlace: (place: ListPlace) => void
}

export function StreamList({ console, place, onPlace }: Props) {
  const { PageFrame, DataTable, Problem, SearchInput } = console.components
  const words = console.words(STREAMS_WORDS)
  const [isPushOpen, push] = useDisclosure()
  const { search } = place
  const { data, error, refresh } = console.useCall(
    'GET /api/stream/list',
    { query: { pageNum: place.page, pageSize: PAGE_SIZE, ...(search !== '' && { search }) } },
    { refreshMs: REFRESH_MS },
  )
  return (
    <PageFrame
      title={words.title}
      description={words.description}
      actions={
        <Button leftSection={<UploadIcon />} onClick={push.open}>
          {console.words(PUSH_WORDS).title}
        </Button>
      }
    >
      <Stack gap="md">
        <SearchInput label={words.search} initial={search} onSearch={(text) => onPlace({ search: text, page: 1 })} />
        {error !== undefined && <Problem error={error} onRetry={() => void refresh()} />}
        <DataTable
          label={words.title}
          columns={columnsOf(console)}
          rows={data?.data}
          rowKey={({ path }) => path}
          empty={search === '' ? words.empty : words.notFound(search)}
          onOpen={({ path }) => console.navigate(console.streamPage(path))}
          {...(data && {
            paging: {
              page: place.page,
              pageSize: PAGE_SIZE,
              total: data.total,
              onPage: (page) => onPlace({ ...place, page }),
            },
          })}
        />
        <WaitedFor console={console} />
      </Stack>
      {isPushOpen && (
        <Suspense>
          <PushDialog console={console} onClose={push.close} />
        </Suspense>
      )}
    </PageFrame>
  )
}

function columnsOf(console: Console<Paths>): readonly Column<ListedStream>[] {
  const { format } = console
  const words = console.words(STREAMS_WORDS)
  return [
    {
      key: 'path',
      title: words.path,
      render: ({ path, isPaused }) => (
        <Group gap="xs">
          <Text fw={550} size="sm" style={{ overflowWrap: 'anywhere' }}>
            {path}
          </Text>
          {isPaused && <Badge variant="light">{words.paused}</Badge>}
        </Group>
      ),
    },
    {
      key: 'source',
      title: words.source,
      render: ({ pluginName, type }) =>
        type === 'server' ? pluginName : `${pluginName}, ${words.types[type] ?? type}`,
    },
    { key: 'media', title: words.media, render: mediaText },
    { key: 'viewers', title: words.viewers, align: 'end', render: ({ subscribers }) => format.number(subscribers) },
    { key: 'in', title: words.bitrateIn, align: 'end', render: (stream) => format.bitrate(bytesIn(stream)) },
    {
      key: 'out',
      title: words.bitrateOut,
      align: 'end',
      isMinor: true,
      render: (stream) => format.bitrate(bytesOut(stream)),
    },
    {
      key: 'since',
      title: words.since,
      align: 'end',
      isMinor: true,
      render: ({ startTime }) => format.duration(Date.now() - Date.parse(startTime)),
    },
    {
      key: 'recording',
      title: words.recording,
      isMinor: true,
      render: ({ recording }) =>
        recording.length === 0 ? '–' : [...new Set(recording.map(({ pluginName }) => pluginName))].join(', '),
    },
  ]
}
