import { Box, Button, Group, Loader, NativeSelect, Text, VisuallyHidden } from '@mantine/core'
import { SquareFillIcon } from '@primer/octicons-react'
import { useConsole } from '../console-context.ts'
import { clockText } from './recorded-day.ts'
import { RECORDINGS_WORDS } from './recordings-words.ts'
import type { Playback } from './use-playback.ts'

/** The speeds that devices know (GB/T 28181-2022 annex B). */
const SPEEDS = [0.25, 0.5, 1, 2, 4, 8, 16]

/** The pictures of a recording that is played, and what steers it. */
export function PlaybackView({ playback }: { readonly playback: Playback }) {
  const console = useConsole()
  const words = console.words(RECORDINGS_WORDS)
  const { Player } = console.components
  const { playing, isStarting, isPaused, isOver, speed, atMs, pause, resume, setSpeed, stop } = playback
  return (
    <Box>
      <Box
        bg="dark.9"
        c="gray.4"
        style={{
          position: 'relative',
          aspectRatio: '16 / 9',
          display: 'grid',
          placeItems: 'center',
          overflow: 'hidden',
          borderRadius: 'var(--mantine-radius-sm)',
        }}
      >
        {playing === undefined ? (
          <Group gap="xs" p="md">
            {isStarting && <Loader size="sm" />}
            <Text size="sm" role="status">
              {isStarting ? words.starting : isOver ? words.ended : words.hint}
            </Text>
          </Group>
        ) : (
          <Box pos="absolute" inset={0}>
            <Player key={playing.streamPath} streamPath={playing.streamPath} isPlain />
          </Box>
        )}
      </Box>
      <Group gap="xs" mt="xs" mih={34}>
        {playing !== undefined && (
          <>
            <Button size="xs" variant="default" onClick={() => void (isPaused ? resume() : pause())}>
              {isPaused ? words.resume : words.pause}
            </Button>
            <Button size="xs" variant="default" leftSection={<SquareFillIcon size={12} />} onClick={stop}>
              {words.stop}
            </Button>
            <NativeSelect
              size="xs"
              aria-label={words.speed}
              value={String(speed)}
              onChange={({ currentTarget }) => void setSpeed(Number(currentTarget.value))}
              data={SPEEDS.map((one) => ({ value: String(one), label: `${one}×` }))}
            />
            <Text size="sm" ff="monospace">
              <VisuallyHidden>{words.at}</VisuallyHidden> {atMs === undefined ? '–' : clockText(atMs)}
            </Text>
          </>
        )}
      </Group>
    </Box>
  )
}
