import { Card, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import type { Console } from 'sluice/sdk/console'
import type { Paths } from 'sluice/api'
import { delayText } from './load-cards.tsx'
import type { Series } from './load-history.ts'
import type { WORDS } from './overview-words.ts'

type Props = { readonly console: Console<Paths>; readonly series: Series; readonly words: (typeof WORDS)['en'] }

/** The load of the last ten minutes. */
export function LoadCharts({ console, series, words }: Props) {
  const { format } = console
  const { times, values } = series
  const whole = (value: number) => (Number.isInteger(value) ? format.number(value) : '')
  const bits = (rates: Series['values']['sentBps']) => rates.map((bytes) => (bytes === null ? null : bytes * 8))
  const charts = [
    { title: words.streams, formatValue: whole, lines: [{ name: words.streams, values: values.streams }] },
    { title: words.viewers, formatValue: whole, lines: [{ name: words.viewers, values: values.viewers }] },
    {
      title: words.bitrate,
      formatValue: (value: number) => format.bitrate(value / 8),
      lines: [
        { name: words.in, values: bits(values.receivedBps) },
        { name: words.out, values: bits(values.sentBps) },
      ],
    },
    {
      title: words.cpu,
      formatValue: (value: number) => format.percent(value),
      lines: [{ name: words.cpu, values: values.cpuPercent }],
    },
    {
      title: words.memoryChart,
      formatValue: (value: number) => format.bytes(value),
      lines: [{ name: words.memoryChart, values: values.processMemory }],
    },
    {
      title: words.delayChart,
      formatValue: (value: number) => delayText(value, format),
      lines: [{ name: words.delayChart, values: values.loopDelayP99 }],
    },
  ]
  const { Chart } = console.components
  return (
    <Stack gap="sm">
      <Title order={2} size="h4">
        {words.lastMinutes}
      </Title>
      <SimpleGrid cols={{ base: 1, sm: 2, xl: 3 }} spacing="sm">
        {charts.map(({ title, formatValue, lines }) => (
          <Card key={title} withBorder padding="sm">
            <Text size="sm" fw={500} mb={4}>
              {title}
            </Text>
            <Chart label={title} times={times} series={lines} formatValue={formatValue} />
          </Card>
        ))}
      </SimpleGrid>
    </Stack>
  )
}
