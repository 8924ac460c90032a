import { Card, SimpleGrid, Text } from '@mantine/core'
import type { Console } from 'sluice/sdk/console'
import type { Paths } from 'sluice/api'
import type { MetricHistory } from './metric-history.ts'
import { graphText } from './metric-values.ts'
import type { MetricFamily } from './metrics-text.ts'
import type { WORDS } from './metrics-words.ts'

type Props = {
  readonly console: Console<Paths>
  readonly words: (typeof WORDS)['en']
  readonly chosen: readonly MetricFamily[]
  readonly histories: ReadonlyMap<string, MetricHistory>
}

/** The graphs of the metrics that were chosen. */
export function MetricCharts({ console, words, chosen, histories }: Props) {
  const { Chart } = console.components
  return (
    <SimpleGrid cols={{ base: 1, md: 2, xl: 3 }} spacing="sm">
      {chosen.map((family) => {
        const { times = [], lines = [] } = histories.get(family.name)?.lines() ?? {}
        return (
          <Card key={family.name} withBorder padding="sm">
            <Text size="sm" fw={500} mb={4} style={{ overflowWrap: 'anywhere' }}>
              {family.name}
            </Text>
            {lines.length === 0 ? (
              <Text size="sm" c="dimmed" h={182}>
                {words.wait}
              </Text>
            ) : (
              <Chart
                label={family.name}
                times={times}
                series={lines.map(({ name, values }) => ({ name: name || words.all, values }))}
                formatValue={(value) => graphText(family, value, console.format)}
              />
            )}
          </Card>
        )
      })}
    </SimpleGrid>
  )
}
