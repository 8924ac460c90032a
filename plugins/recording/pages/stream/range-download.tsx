import { Button, Group, Popover, Stack, TextInput } from '@mantine/core'
import { DownloadIcon } from '@primer/octicons-react'
import { useState } from 'react'
import { clockOf, timeOnDay, type TimeRange } from '../calendar.ts'
import { download, rangeAddress } from './media-address.ts'
import type { PageConsole, Subject } from '../page-console.ts'
import { WORDS } from '../recordings-words.ts'

type RangeDownloadProps = {
  readonly console: PageConsole
  readonly subject: Subject
  readonly date: string
  /** The time that is offered at first. */
  readonly offered: TimeRange
}

/** A button that saves a part of a day as one file. */
export function RangeDownload({ console, subject, date, offered }: RangeDownloadProps) {
  const words = console.words(WORDS)
  const [isOpen, setOpen] = useState(false)
  const [typed, setTyped] = useState({ from: '', to: '' })
  const [fromMs, toMs] = [timeOnDay(date, typed.from), timeOnDay(date, typed.to)]
  const range = fromMs !== undefined && toMs !== undefined && fromMs < toMs ? { fromMs, toMs } : undefined
  const open = () => {
    setTyped({ from: clockOf(offered.fromMs), to: clockOf(offered.toMs) })
    setOpen(true)
  }
  const field = (name: keyof typeof typed) => ({
    type: 'time',
    step: 1,
    value: typed[name],
    onChange: ({ currentTarget: { value } }: { readonly currentTarget: HTMLInputElement }) =>
      setTyped((before) => ({ ...before, [name]: value })),
  })
  return (
    <Popover opened={isOpen} onChange={setOpen} trapFocus returnFocus withArrow shadow="md" width={300}>
      <Popover.Target>
        <Button
          size="xs"
          variant="default"
          leftSection={<DownloadIcon />}
          onClick={() => (isOpen ? setOpen(false) : open())}
        >
          {words.downloadRange}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <Stack gap="sm">
          <Group grow>
            <TextInput label={words.from} {...field('from')} />
            <TextInput label={words.to} error={range === undefined && words.rangeWrong} {...field('to')} />
          </Group>
          <Button
            disabled={range === undefined}
            onClick={() => {
              if (range !== undefined) void download(console, rangeAddress(console, subject, range))
              setOpen(false)
            }}
          >
            {words.download}
          </Button>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  )
}
