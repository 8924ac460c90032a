import { Card, Group, Skeleton, Stack, Text, Title } from '@mantine/core'
import type { Console } from 'sluice/sdk/console'
import type { Paths } from 'sluice/api'
import { framesOf, type DrawnFrame } from './frame-kinds.ts'
import { TRACKS_WORDS } from './tracks-words.ts'

/** The whole list is asked for each time, so it is seldom. */
const REFRESH_MS = 5000
const MAX_SHOWN = 150
/** Few frames are drawn as thin as many. */
const MIN_PLACES = 50
const HEIGHT = 160
const COLORS: Readonly<Record<DrawnFrame['kind'], string>> = {
  key: 'var(--mantine-color-teal-filled)',
  predicted: 'light-dark(var(--mantine-color-blue-6), var(--mantine-color-blue-4))',
  bidirectional: 'light-dark(var(--mantine-color-orange-6), var(--mantine-color-orange-4))',
}
const KINDS = ['key', 'predicted', 'bidirectional'] as const

type Props = { readonly console: Console<Paths>; readonly streamPath: string }

/** The frames that are kept of the picture, as bars by size and kind. */
export function GroupOfPictures({ console, streamPath }: Props) {
  const { Problem } = console.components
  const words = console.words(TRACKS_WORDS)
  const { data, error, refresh } = console.useCall(
    'GET /api/videotrack/snap/{streamPath}',
    { params: { streamPath } },
    { refreshMs: REFRESH_MS },
  )
  const frames = data && framesOf(data.data.ring).slice(-MAX_SHOWN)
  return (
    <Card withBorder>
      <Stack gap="sm">
        <Group justify="space-between">
          <div>
            <Title order={2} size="h5">
              {words.frames}
            </Title>
            <Text size="sm" c="dimmed">
              {words.framesText} {data && words.kept(console.format.bytes(data.data.ringDataSize))}
            </Text>
          </div>
          <Group gap="md">
            {KINDS.map((kind) => (
              <Group key={kind} gap={6}>
                <span aria-hidden style={{ width: 10, height: 10, borderRadius: 2, background: COLORS[kind] }} />
                <Text size="sm">{words.kinds[kind]}</Text>
              </Group>
            ))}
          </Group>
        </Group>
        {error !== undefined && <Problem error={error} onRetry={() => void refresh()} />}
        {frames === undefined && error === undefined && <Skeleton height={HEIGHT} />}
        {frames?.length === 0 && <Text c="dimmed">{words.noFrames}</Text>}
        {frames !== undefined && frames.length > 0 && <Bars console={console} frames={frames} />}
      </Stack>
    </Card>
  )
}

function Bars({ console, frames }: { readonly console: Console<Paths>; readonly frames: readonly DrawnFrame[] }) {
  const words = console.words(TRACKS_WORDS)
  const { format } = console
  const largest = Math.max(...frames.map(({ size }) => size), 1)
  const keyframes = frames.filter(({ kind }) => kind === 'key').length
  const bar = 0.8
  return (
    <svg
      width="100%"
      height={HEIGHT}
      viewBox={`0 0 ${Math.max(frames.length, MIN_PLACES)} 100`}
      preserveAspectRatio="none"
      role="img"
      aria-label={words.chart(frames.length, keyframes, format.bytes(largest))}
    >
      {frames.map(({ sequence, kind, size }, index) => {
        // A frame is seen, however small it is.
        const height = Math.max(1, (100 * size) / largest)
        return (
          <rect key={sequence} x={index} y={100 - height} width={bar} height={height} style={{ fill: COLORS[kind] }}>
            <title>{`${sequence}: ${words.kinds[kind]}, ${format.bytes(size)}`}</title>
          </rect>
        )
      })}
    </svg>
  )
}
