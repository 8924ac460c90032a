import { Button, Checkbox, NativeSelect, Popover, Stack } from '@mantine/core'
import { CopyIcon } from '@primer/octicons-react'
import { useState } from 'react'
import { dayName, type PageConsole } from '../page-console.ts'
import { WORDS } from '../plans-words.ts'
import { copied, DAYS_SHOWN, type WeekHours } from '../week-hours.ts'

type CopyDayProps = {
  readonly console: PageConsole
  readonly hours: WeekHours
  readonly onChange: (hours: WeekHours) => void
}

const MONDAY = 1

/** A button that gives days the hours of another. */
export function CopyDay({ console, hours, onChange }: CopyDayProps) {
  const words = console.words(WORDS)
  const [isOpen, setOpen] = useState(false)
  const [from, setFrom] = useState(MONDAY)
  const [to, setTo] = useState<readonly string[]>([])
  return (
    <Popover opened={isOpen} onChange={setOpen} trapFocus returnFocus withArrow shadow="md" width={220}>
      <Popover.Target>
        <Button
          size="xs"
          variant="default"
          leftSection={<CopyIcon />}
          disabled={!console.user.mayChange}
          onClick={() => setOpen(!isOpen)}
        >
          {words.copy}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <Stack gap="sm">
          <NativeSelect
            label={words.copyFrom}
            value={String(from)}
            data={DAYS_SHOWN.map((day) => ({ value: String(day), label: dayName(console, day, 'long') }))}
            onChange={({ currentTarget }) => setFrom(Number(currentTarget.value))}
          />
          <Checkbox.Group label={words.copyTo} value={[...to]} onChange={setTo}>
            <Stack gap={6} mt={6}>
              {DAYS_SHOWN.filter((day) => day !== from).map((day) => (
                <Checkbox key={day} value={String(day)} label={dayName(console, day, 'long')} />
              ))}
            </Stack>
          </Checkbox.Group>
          <Button
            disabled={to.length === 0}
            onClick={() => {
              onChange(copied(hours, from, to.map(Number)))
              setOpen(false)
            }}
          >
            {words.copyDo}
          </Button>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  )
}
