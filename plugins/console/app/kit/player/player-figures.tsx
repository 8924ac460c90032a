import { Group, Text, Tooltip } from '@mantine/core'
import { formatOf } from '../format.ts'
import { useLanguage, useWords } from '../language.ts'
import type { Transport } from './engine.ts'
import { PLAYER_WORDS } from './player-words.ts'
import type { Figures } from './use-figures.ts'

type Props = { readonly figures: Figures | undefined; readonly transport: Transport }

/** The line of measured values below the picture. It has its place before there are any. */
export function PlayerFigures({ figures, transport }: Props) {
  const words = useWords(PLAYER_WORDS)
  const format = formatOf(useLanguage())
  const seconds = (ms: number | undefined) => (ms === undefined ? '–' : `${format.number(ms / 1000, 2)} s`)
  const { delayMs, bufferMs, bytesPerSecond, width = 0, height = 0, frames = 0, dropped = 0 } = figures ?? {}
  const shown = [
    [words.delay, seconds(delayMs), words.delayOf[transport]],
    [words.buffer, seconds(bufferMs), words.bufferText],
    [words.bitrate, format.bitrate(bytesPerSecond), words.bitrateText],
    [words.size, width === 0 ? '–' : `${width} × ${height}`, ''],
    [words.dropped, words.droppedOf(format.number(dropped), format.number(frames)), words.droppedText],
  ] as const
  return (
    <Group gap="xs" className="figures" style={{ columnGap: 24 }}>
      {shown.map(([label, value, explanation]) => (
        <Tooltip
          key={label}
          label={explanation}
          disabled={explanation === ''}
          multiline
          maw={300}
          events={TOOLTIP_EVENTS}
        >
          <Text size="sm" tabIndex={explanation === '' ? undefined : 0}>
            <Text span c="dimmed" size="sm">
              {label}
            </Text>{' '}
            {value}
          </Text>
        </Tooltip>
      ))}
    </Group>
  )
}

const TOOLTIP_EVENTS = { hover: true, focus: true, touch: true }
