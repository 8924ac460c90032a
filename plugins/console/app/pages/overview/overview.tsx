import { Alert, SimpleGrid, Stack, Title } from '@mantine/core'
import { useEffect, useState } from 'react'
import type { PageProps } from 'sluice/sdk/console'
import type { Paths } from 'sluice/api'
import { DisabledPlugins, RecentAlarms } from './attention.tsx'
import { LoadCards } from './load-cards.tsx'
import { LoadCharts } from './load-charts.tsx'
import { LoadHistory } from './load-history.ts'
import { MostViewed } from './most-viewed.tsx'
import { WORDS } from './overview-words.ts'

const INTERVAL = '2s'

/** Stays while other pages are open. */
const history = new LoadHistory()

/** The state of the server at a glance. */
export default function Overview({ console }: PageProps<Paths>) {
  const words = console.words(WORDS)
  const { PageFrame } = console.components
  const { data: load, error } = console.useEvents('GET /api/load/sse', { query: { interval: INTERVAL } })
  const { data: sysinfo } = console.useCall('GET /api/sysinfo')
  const [series, setSeries] = useState(history.series)
  useEffect(() => {
    if (load === undefined) return
    history.add(load)
    setSeries(history.series)
  }, [load])
  const hasAlarms = sysinfo?.data.plugins.some(({ name }) => name === 'alarm') === true
  return (
    <PageFrame title={words.title}>
      {error !== undefined && (
        <Alert color="orange" role="alert">
          {words.offline} ({error.message})
        </Alert>
      )}
      <LoadCards load={load} info={sysinfo?.data} words={words} format={console.format} />
      <LoadCharts console={console} series={series} words={words} />
      <Stack gap="sm">
        <Title order={2} size="h4">
          {words.mostViewed}
        </Title>
        <MostViewed console={console} streams={load?.mostViewed} words={words} />
      </Stack>
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="sm">
        <DisabledPlugins console={console} words={words} />
        {hasAlarms && <RecentAlarms console={console} words={words} />}
      </SimpleGrid>
    </PageFrame>
  )
}
