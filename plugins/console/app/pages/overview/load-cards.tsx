import { Card, Progress, SimpleGrid, Skeleton, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import type { Format } from 'sluice/sdk/console'
import type { Paths } from 'sluice/api'
import type { Load } from './load-history.ts'
import type { WORDS } from './overview-words.ts'

export type SystemInfo = Paths['GET /api/sysinfo']['answer']['data']

type Props = {
  readonly load: Load | undefined
  readonly info: SystemInfo | undefined
  readonly words: (typeof WORDS)['en']
  readonly format: Format
}

/** From this share on, a bar is a warning. */
const HIGH_PERCENT = 85
/** From this delay on, media is late for viewers. */
const LATE_S = 0.1

/** The load of now, a card for each figure. */
export function LoadCards({ load, info, words, format }: Props) {
  const uptimeMs = load && info && new Date(load.time).getTime() - new Date(info.startTime).getTime()
  const memory = percentOf(load?.memory)
  const disk = percentOf(load?.disk)
  const hasDisk = load !== undefined && load.disk.total > 0
  return (
    <SimpleGrid cols={{ base: 2, sm: 3, lg: 5 }} spacing="sm" className="figures">
      <Figure title={words.streams} value={load && format.number(load.streams)} />
      <Figure title={words.viewers} value={load && format.number(load.viewers)} />
      <Figure title={words.received} value={load && format.bitrate(load.receivedBps)} />
      <Figure title={words.sent} value={load && format.bitrate(load.sentBps)} />
      <Figure
        title={words.delay}
        value={load && delayText(load.loopDelayP99, format)}
        note={load && words.delayNote(format.percent(load.loopUtilization * 100))}
        isHigh={load !== undefined && load.loopDelayP99 >= LATE_S}
      />
      <Figure
        title={words.cpu}
        value={load && format.percent(Math.round(load.cpuPercent))}
        note={info && words.cpuNote(info.cpus)}
        percent={load?.cpuPercent}
      />
      <Figure
        title={words.memory}
        value={load && format.bytes(load.memory.used)}
        note={load && words.memoryNote(format.bytes(load.memory.total), format.bytes(load.processMemory))}
        percent={memory}
      />
      <Figure
        title={words.disk}
        value={load && (hasDisk ? format.bytes(load.disk.used) : words.unknown)}
        note={hasDisk ? words.of(format.bytes(load.disk.total)) : undefined}
        percent={disk}
      />
      <Figure
        title={words.uptime}
        value={uptimeMs === undefined ? undefined : format.duration(uptimeMs)}
        note={info && words.since(format.time(info.startTime))}
      />
      <Figure title={words.version} value={info?.version} note={info && `${info.goVersion}, ${info.os} ${info.arch}`} />
    </SimpleGrid>
  )
}

/** A delay of the event loop, in milliseconds. */
export function delayText(seconds: number, format: Format): string {
  const ms = seconds * 1000
  return `${format.number(ms, ms < 10 ? 1 : 0)} ms`
}

type FigureProps = {
  readonly title: string
  /** Undefined until it is known; its place is kept. */
  readonly value: ReactNode
  readonly note?: string | undefined
  /** Draws a bar. */
  readonly percent?: number | undefined
  readonly isHigh?: boolean
}

function Figure({ title, value, note, percent, isHigh = false }: FigureProps) {
  const isWarning = isHigh || (percent !== undefined && percent >= HIGH_PERCENT)
  return (
    <Card withBorder padding="sm" mih={104}>
      <Text size="sm" c="dimmed">
        {title}
      </Text>
      {value === undefined ? (
        <Skeleton height={20} width="60%" my={5} />
      ) : (
        <Text fw={600} size="lg" {...(isWarning && { c: 'red' })} lineClamp={1}>
          {value}
        </Text>
      )}
      {percent !== undefined && (
        <Progress value={percent} size="sm" color={isWarning ? 'red' : 'teal'} mt={6} aria-label={title} />
      )}
      {note !== undefined && (
        <Text size="xs" c="dimmed" mt={4} lineClamp={2}>
          {note}
        </Text>
      )}
    </Card>
  )
}

function percentOf(usage: { readonly total: number; readonly used: number } | undefined): number | undefined {
  return usage === undefined || usage.total === 0 ? undefined : (usage.used / usage.total) * 100
}
