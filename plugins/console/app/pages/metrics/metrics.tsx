import { Code, Skeleton, Text, TextInput } from '@mantine/core'
import { SearchIcon } from '@primer/octicons-react'
import { useEffect, useState } from 'react'
import type { PageProps } from 'sluice/sdk/console'
import type { Paths } from 'sluice/api'
import { MetricCharts } from './metric-charts.tsx'
import { MetricGroup } from './metric-group.tsx'
import { found, groupsOf } from './metric-groups.ts'
import { MetricHistory } from './metric-history.ts'
import { WORDS } from './metrics-words.ts'
import { useMetrics } from './use-metrics.ts'

const DASHBOARD = 'docs/grafana/sluice.json'

/** All metrics of the server, and graphs of those that are chosen. */
export default function Metrics({ console }: PageProps<Paths>) {
  const words = console.words(WORDS)
  const { PageFrame, Problem } = console.components
  const { reading, error, refresh } = useMetrics(console)
  const [search, setSearch] = useState('')
  const [histories, setHistories] = useState<ReadonlyMap<string, MetricHistory>>(new Map())
  useEffect(() => {
    if (reading === undefined) return
    for (const family of reading.families) histories.get(family.name)?.add(family, reading.timeS)
    // The readings are in the histories: this draws them.
    if (histories.size > 0) setHistories(new Map(histories))
  }, [reading])
  const choose = (name: string) => {
    const next = new Map(histories)
    if (!next.delete(name)) {
      const history = new MetricHistory()
      const family = reading?.families.find((one) => one.name === name)
      if (family !== undefined && reading !== undefined) history.add(family, reading.timeS)
      next.set(name, history)
    }
    setHistories(next)
  }
  const chosen = new Set(histories.keys())
  const groups = reading && groupsOf(found(reading.families, search))
  return (
    <PageFrame
      title={words.title}
      description={
        <>
          {words.description} {words.grafana} <Code>{DASHBOARD}</Code>
        </>
      }
    >
      {error !== undefined && <Problem error={error} onRetry={() => void refresh()} />}
      {chosen.size > 0 && (
        <MetricCharts
          console={console}
          words={words}
          histories={histories}
          chosen={reading?.families.filter(({ name }) => chosen.has(name)) ?? []}
        />
      )}
      <TextInput
        aria-label={words.search}
        placeholder={words.search}
        leftSection={<SearchIcon />}
        value={search}
        onChange={(event) => setSearch(event.currentTarget.value)}
        maw={360}
      />
      {groups === undefined && error === undefined && <Skeleton height={320} />}
      {groups?.length === 0 && <Text c="dimmed">{words.none}</Text>}
      {groups?.map((group) => (
        <MetricGroup
          key={group.name}
          group={group}
          words={words}
          format={console.format}
          chosen={chosen}
          onChoose={choose}
        />
      ))}
    </PageFrame>
  )
}
