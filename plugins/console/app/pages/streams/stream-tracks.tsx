import { Card, SimpleGrid, Stack, Table, Text, Title } from '@mantine/core'
import type { Console } from 'sluice/sdk/console'
import type { Paths } from 'sluice/api'
import { GroupOfPictures } from './group-of-pictures.tsx'
import { codecName, profileText, type ListedStream } from './stream-media.ts'
import { TRACKS_WORDS } from './tracks-words.ts'

type Props = {
  readonly console: Console<Paths>
  readonly streamPath: string
  readonly stream: ListedStream | undefined
}

type Facts = readonly (readonly [name: string, value: string])[]

/** The tracks of a stream, and the frames of its picture. */
export function StreamTracks({ console, streamPath, stream }: Props) {
  const words = console.words(TRACKS_WORDS)
  const { format } = console
  const common = ({
    codec,
    meta,
    bps,
    fps,
  }: Pick<NonNullable<ListedStream['audioTrack']>, 'codec' | 'meta' | 'bps' | 'fps'>): Facts => {
    const more = readMeta(meta)
    return [
      [words.codec, codecName(codec)],
      [words.profile, profileText(more['codec'] ?? '–')],
      [words.bitrate, format.bitrate(bps)],
      [words.frameRate, format.number(fps, 2)],
      ...(['layer', 'language', 'label'] as const).flatMap((key) =>
        more[key] === undefined ? [] : [[words[key], more[key]] as const],
      ),
    ]
  }
  const video = stream?.videoTrack
  const audio = stream?.audioTrack
  return (
    <Stack gap="md">
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <TrackCard
          title={words.video}
          none={words.none}
          facts={
            video && [
              ...common(video),
              [words.size, `${video.width} × ${video.height}`],
              [words.groupLength, format.number(video.gop)],
            ]
          }
        />
        <TrackCard
          title={words.audio}
          none={words.none}
          facts={
            audio && [
              ...common(audio),
              [words.sampleRate, `${format.number(audio.sampleRate)} Hz`],
              [words.channels, format.number(audio.channels)],
            ]
          }
        />
      </SimpleGrid>
      {video && <GroupOfPictures console={console} streamPath={streamPath} />}
    </Stack>
  )
}

type TrackCardProps = { readonly title: string; readonly none: string; readonly facts: Facts | null | undefined }

function TrackCard({ title, none, facts }: TrackCardProps) {
  return (
    <Card withBorder>
      <Title order={2} size="h5" mb="xs">
        {title}
      </Title>
      {facts ? (
        <Table verticalSpacing={4} horizontalSpacing={0} withRowBorders={false}>
          <Table.Tbody>
            {facts.map(([name, value]) => (
              <Table.Tr key={name}>
                <Table.Th scope="row" fw={400} c="dimmed" w="50%">
                  {name}
                </Table.Th>
                <Table.Td style={{ overflowWrap: 'anywhere' }}>{value}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      ) : (
        <Text c="dimmed">{none}</Text>
      )}
    </Card>
  )
}

/** The texts of the JSON text that the server has for a track. */
function readMeta(meta: string): Readonly<Record<string, string>> {
  try {
    const all = Object.entries(JSON.parse(meta) as Readonly<Record<string, unknown>>)
    return Object.fromEntries(all.flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])))
  } catch {
    return {}
  }
}
