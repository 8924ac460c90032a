import { Button, Group, Paper, Skeleton, Stack, Tabs, Text, Title } from '@mantine/core'
import { useState } from 'react'
import { AlarmsTab } from './alarms/alarms-tab.tsx'
import { channelState, livePath, type NamedChannel } from './channel.ts'
import { useConsole } from './console-context.ts'
import { ControlTab } from './control/control-tab.tsx'
import { ChannelFacts, DeviceTab } from './device/device-tab.tsx'
import { PAGE_WORDS } from './page-words.ts'
import type { Place } from './place.ts'
import { RecordingsTab } from './recordings/recordings-tab.tsx'
import { StateText } from './state-icon.tsx'

const REFRESH_MS = 5000
const NEWEST_VERSION = '3.0'
const NOT_FOUND = 404

export type DetailsPanelProps = {
  readonly place: Place
  readonly isInWall: boolean
  readonly onPlay: (channel: NamedChannel) => void
  readonly onRemoved: () => void
}

type TabName = 'control' | 'recordings' | 'alarms' | 'device'

/** The facts and actions of the device or channel that is chosen. */
export function DetailsPanel({ place, isInWall, onPlay, onRemoved }: DetailsPanelProps) {
  const console = useConsole()
  const words = console.words(PAGE_WORDS)
  const { Problem } = console.components
  const [tab, setTab] = useState<TabName>('control')
  const { deviceId = '', channelId } = place
  const deviceData = console.useCall(
    deviceId === '' ? undefined : 'GET /gb28181/api/devices/{deviceId}',
    { params: { deviceId }, query: { channels: false } },
    { refreshMs: REFRESH_MS },
  )
  const channelData = console.useCall(
    channelId === undefined ? undefined : 'GET /gb28181/api/channel/raw',
    { query: { id: `${deviceId}_${channelId ?? ''}` } },
    { refreshMs: REFRESH_MS },
  )
  if (deviceId === '') {
    return (
      <Paper withBorder p="md">
        <Text size="sm" c="dimmed">
          {words.nothingChosen}
        </Text>
      </Paper>
    )
  }
  const device = deviceData.data?.data
  const raw = channelData.data?.data
  const channel: NamedChannel | undefined =
    channelId === undefined
      ? undefined
      : { deviceId, channelId, name: raw?.customChannelName || raw?.name || channelId }
  const streamPath = raw?.streamPath ?? (channel === undefined ? '' : livePath(channel))
  const isOnline = device?.online === true
  const state = channel === undefined ? (isOnline ? 'online' : 'offline') : channelState(raw?.status, raw?.playing)
  const isNewer = device?.version === NEWEST_VERSION
  // Channels that operators have added are of no device.
  const isOfNoDevice = (deviceData.error as { readonly code?: unknown } | undefined)?.code === NOT_FOUND
  const shown = channel === undefined && (tab === 'control' || tab === 'recordings') ? 'device' : tab
  const title = channel?.name ?? (device?.name || deviceId)
  return (
    <Paper withBorder p="md" style={{ minWidth: 0 }}>
      <Group justify="space-between" gap="xs" mb="xs">
        <Group gap="xs" style={{ minWidth: 0 }}>
          <Title order={2} size="h4" style={{ overflowWrap: 'anywhere' }}>
            {title}
          </Title>
          {device !== undefined && <StateText state={state} />}
        </Group>
        {channel !== undefined && !isInWall && (
          <Button size="xs" variant="light" onClick={() => onPlay(channel)}>
            {words.show}
          </Button>
        )}
      </Group>
      {isOfNoDevice && channel !== undefined && <ChannelFacts channel={channel} streamPath={streamPath} />}
      {!isOfNoDevice && deviceData.error !== undefined && device === undefined && (
        <Problem error={deviceData.error} onRetry={() => void deviceData.refresh()} />
      )}
      {device === undefined && deviceData.error === undefined && <Skeleton height={240} />}
      {device !== undefined && (
        <Tabs value={shown} onChange={(value) => setTab((value ?? 'device') as TabName)} keepMounted={false}>
          <Tabs.List mb="md">
            <Tabs.Tab value="control" disabled={channel === undefined}>
              {words.control}
            </Tabs.Tab>
            <Tabs.Tab value="recordings" disabled={channel === undefined}>
              {words.recordings}
            </Tabs.Tab>
            <Tabs.Tab value="alarms">{words.alarms}</Tabs.Tab>
            <Tabs.Tab value="device">{words.details}</Tabs.Tab>
          </Tabs.List>
          {channel !== undefined && (
            <>
              <Tabs.Panel value="control">
                <ControlTab key={channelId} channel={channel} isOnline={isOnline} isNewer={isNewer} />
              </Tabs.Panel>
              <Tabs.Panel value="recordings">
                <RecordingsTab key={channelId} channel={channel} isOnline={isOnline} />
              </Tabs.Panel>
            </>
          )}
          <Tabs.Panel value="alarms">
            <AlarmsTab key={deviceId} deviceId={deviceId} isOnline={isOnline} />
          </Tabs.Panel>
          <Tabs.Panel value="device">
            <Stack>
              <DeviceTab
                device={device}
                channel={channel}
                streamPath={streamPath}
                isNewer={isNewer}
                onChanged={() => void deviceData.refresh()}
                onRemoved={onRemoved}
              />
            </Stack>
          </Tabs.Panel>
        </Tabs>
      )}
    </Paper>
  )
}
