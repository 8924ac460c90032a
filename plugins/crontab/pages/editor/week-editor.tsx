import { Button, Card, Group, Stack, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import type { PageConsole } from '../page-console.ts'
import { WORDS } from '../plans-words.ts'
import { summaryText } from '../summary.ts'
import { countOf, hoursText, presetHours, type Preset, type WeekHours } from '../week-hours.ts'
import { CopyDay } from './copy-day.tsx'
import { WeekGrid } from './week-grid.tsx'

const PRESETS: readonly Preset[] = ['always', 'working', 'nights', 'none']
const PARSE_PAUSE_MS = 300

type WeekEditorProps = {
  readonly console: PageConsole
  readonly hours: WeekHours
  readonly onChange: (hours: WeekHours) => void
}

/** The hours of a plan: the grid, shorter ways to paint it, and what it means in words. */
export function WeekEditor({ console, hours, onChange }: WeekEditorProps) {
  const words = console.words(WORDS)
  const [plan] = useDebouncedValue(hoursText(hours), PARSE_PAUSE_MS)
  const { data } = console.useCall('GET /plan/api/parse/{plan}', { params: { plan } })
  const next = data?.nextSlot
  return (
    <Card withBorder>
      <Stack gap="md">
        <Group justify="space-between">
          <Group gap={6}>
            <Text size="sm" c="dimmed">
              {words.presets}
            </Text>
            {PRESETS.map((preset) => (
              <Button
                key={preset}
                size="xs"
                variant="default"
                disabled={!console.user.mayChange}
                onClick={() => onChange(presetHours(preset))}
              >
                {words[preset]}
              </Button>
            ))}
          </Group>
          <CopyDay console={console} hours={hours} onChange={onChange} />
        </Group>
        <WeekGrid console={console} hours={hours} onChange={onChange} />
        <Text id="week-grid-text" size="xs" c="dimmed">
          {words.gridText}
        </Text>
        <Group gap="xl" align="flex-start">
          <Figure name={words.summary} text={summaryText(console, hours)} />
          <Figure name={words.hours} text={words.hoursAWeek(countOf(hours))} />
          <Figure
            name={words.next}
            text={next === undefined ? '…' : next === null ? words.never : console.format.time(next.start)}
          />
        </Group>
      </Stack>
    </Card>
  )
}

function Figure({ name, text }: { readonly name: string; readonly text: string }) {
  return (
    <div>
      <Text size="xs" c="dimmed">
        {name}
      </Text>
      <Text size="sm">{text}</Text>
    </div>
  )
}
