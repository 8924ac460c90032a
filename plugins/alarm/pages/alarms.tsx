import { SegmentedControl } from '@mantine/core'
import type { Paths } from 'sluice/api'
import type { PageProps } from 'sluice/sdk/console'
import { WORDS } from './alarms/alarms-words.ts'
import { Arming } from './alarms/arming.tsx'
import { EventList } from './alarms/event-list.tsx'
import { WebhookList } from './alarms/webhook-list.tsx'

const REFRESH_MS = 5000

/** The events that were stored, and at `webhooks` those who are told of them. */
export default function Alarms({ console, path }: PageProps<Paths>) {
  const words = console.words(WORDS)
  const { PageFrame, Problem } = console.components
  const part = path === 'webhooks' ? 'webhooks' : 'events'
  const { data, error, refresh } = console.useCall('GET /api/alarm/webhooks', undefined, { refreshMs: REFRESH_MS })
  return (
    <PageFrame title={words.title} description={words.description}>
      {error !== undefined && <Problem error={error} onRetry={() => void refresh()} />}
      <Arming console={console} isArmed={data?.data.armed} onChanged={refresh} />
      <SegmentedControl
        aria-label={words.partsLabel}
        value={part}
        data={(['events', 'webhooks'] as const).map((value) => ({ value, label: words.parts[value] }))}
        onChange={(next) => console.navigate(next === 'webhooks' ? '/alarm/alarms/webhooks' : '/alarm/alarms')}
        style={{ alignSelf: 'flex-start' }}
      />
      {part === 'events' ? (
        <EventList console={console} />
      ) : (
        <WebhookList console={console} webhooks={data?.data.webhooks} />
      )}
    </PageFrame>
  )
}
