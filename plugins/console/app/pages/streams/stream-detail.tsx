import { Alert, Anchor, Badge, Card, Grid, Group, Stack, Table, Tabs, Text, Title } from '@mantine/core'
import { ArrowLeftIcon } from '@primer/octicons-react'
import { useRef, useState } from 'react'
import type { Console } from 'sluice/sdk/console'
import type { Paths } from 'sluice/api'
import { ViewerTable } from '../subscribers/viewer-table.tsx'
import { StreamActions } from './stream-actions.tsx'
import { StreamAliases } from './stream-aliases.tsx'
import { bytesIn, bytesOut, mediaText, type ListedStream } from './stream-media.ts'
import { StreamRecording } from './stream-recording.tsx'
import { StreamTracks } from './stream-tracks.tsx'
import { STREAMS_WORDS } from './streams-words.ts'

const REFRESH_MS = 2000
const NOT_FOUND = 404
/** On a phone, the tabs are one line that scrolls. */
const TAB_LIST = { flexWrap: 'nowrap', overflowX: 'auto', overflowY: 'hidden' } as const
const TABS = ['player', 'tracks', 'viewers', 'recording', 'aliases'] as const
type Tab = (typeof TABS)[number]

type Props = { readonly console: Console<Paths>; readonly streamPath: string }

/** One stream: its picture, and all that may be done with it. A stream that is not there yet is shown as soon as it is. */
export function StreamDetail({ console, streamPath }: Props) {
  const { PageFrame, Player, Problem } = console.components
  const words = console.words(STREAMS_WORDS)
  const picture = useRef<HTMLDivElement>(null)
  const [tab, setTab] = useState<Tab>('player')
  const { data, error, refresh } = console.useCall(
    'GET /api/stream/info/{streamPath}',
    { params: { streamPath } },
    { refreshMs: REFRESH_MS },
  )
  const isAbsent = error !== undefined && 'status' in error && error.status === NOT_FOUND
  const stream = isAbsent ? undefined : data?.data

  return (
    <PageFrame
      title={streamPath}
      description={
        <Anchor size="sm" {...console.link('/streams')}>
          <ArrowLeftIcon /> {words.all}
        </Anchor>
      }
      actions={
        stream && <StreamActions console={console} stream={stream} picture={picture} onChange={() => void refresh()} />
      }
    >
      {isAbsent && <Alert color="gray">{words.absent}</Alert>}
      {error !== undefined && !isAbsent && <Problem error={error} onRetry={() => void refresh()} />}
      <Tabs value={tab} onChange={(value) => setTab(value as Tab)} keepMounted={false}>
        <Tabs.List mb="md" style={TAB_LIST}>
          {TABS.map((name) => (
            <Tabs.Tab
              key={name}
              value={name}
              rightSection={
                name === 'recording' &&
                (stream?.recording.length ?? 0) > 0 && (
                  <Badge size="sm" circle color="red">
                    {stream?.recording.length}
                  </Badge>
                )
              }
            >
              {words.tabs[name]}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value="player">
          <Grid gap="md">
            <Grid.Col span={{ base: 12, lg: 8 }}>
              <div ref={picture}>
                <Player streamPath={streamPath} />
              </div>
            </Grid.Col>
            <Grid.Col span={{ base: 12, lg: 4 }}>
              <Facts console={console} stream={stream} />
            </Grid.Col>
          </Grid>
        </Tabs.Panel>
        <Tabs.Panel value="tracks">
          <StreamTracks console={console} streamPath={streamPath} stream={stream} />
        </Tabs.Panel>
        <Tabs.Panel value="viewers">
          <ViewerTable console={console} streamPath={streamPath} />
        </Tabs.Panel>
        <Tabs.Panel value="recording">
          <StreamRecording
            console={console}
            streamPath={streamPath}
            recordings={stream?.recording}
            onChange={() => void refresh()}
          />
        </Tabs.Panel>
        <Tabs.Panel value="aliases">
          <StreamAliases console={console} streamPath={streamPath} />
        </Tabs.Panel>
      </Tabs>
    </PageFrame>
  )
}

function Facts({ console, stream }: { readonly console: Console<Paths>; readonly stream: ListedStream | undefined }) {
  const words = console.words(STREAMS_WORDS)
  const { format } = console
  const facts: readonly (readonly [string, string])[] = [
    [words.state, stream ? (stream.isPaused ? words.paused : (words.states[stream.state] ?? '–')) : '–'],
    [words.source, stream ? `${stream.pluginName}, ${words.types[stream.type] ?? stream.type}` : '–'],
    [words.started, format.time(stream?.startTime)],
    [words.media, stream ? mediaText(stream) : '–'],
    [words.bitrateIn, format.bitrate(stream && bytesIn(stream))],
    [words.bitrateOut, format.bitrate(stream && bytesOut(stream))],
    [words.viewers, format.number(stream?.subscribers)],
    [words.buffer, stream?.bufferTime ?? '–'],
    ...Object.entries(stream?.details ?? {}).map(([name, value]) => [name, String(value)] as const),
  ]
  return (
    <Card withBorder>
      <Stack gap="xs">
        <Title order={2} size="h5">
          {words.facts}
        </Title>
        <Table verticalSpacing={4} horizontalSpacing={0} withRowBorders={false}>
          <Table.Tbody>
            {facts.map(([name, value]) => (
              <Table.Tr key={name}>
                <Table.Th scope="row" fw={400} c="dimmed" w="40%">
                  {name}
                </Table.Th>
                <Table.Td>
                  <Group>
                    <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
                      {value}
                    </Text>
                  </Group>
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Stack>
    </Card>
  )
}
