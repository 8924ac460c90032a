import { Button, Group, NumberInput, Stack, Title } from '@mantine/core'
import { useState } from 'react'
import type { ChannelIds } from '../channel.ts'
import { useConsole } from '../console-context.ts'
import { CONTROL_WORDS } from './control-words.ts'

const MAX_NUMBER = 255

/** Tours from preset to preset and scans from side to side, by their numbers. */
export function Tours({ channel: { deviceId, channelId } }: { readonly channel: ChannelIds }) {
  const console = useConsole()
  const { api } = console
  const words = console.words(CONTROL_WORDS)
  const [cruiseId, setCruiseId] = useState(1)
  const [scanId, setScanId] = useState(1)
  const params = { deviceId, channelId }
  const tell = (action: () => Promise<unknown>) => void console.change(action, words.told)
  const tour = { params, query: { cruiseId } }
  const scan = { params, query: { scanId } }
  return (
    <Stack gap="xs">
      <Title order={3} size="h6">
        {words.tours}
      </Title>
      <Group gap="xs" align="flex-end">
        <Numbered label={words.tour} value={cruiseId} onChange={setCruiseId} />
        <Command onClick={() => tell(() => api.call('GET /gb28181/api/cruise/start/{deviceId}/{channelId}', tour))}>
          {words.startTour}
        </Command>
        <Command onClick={() => tell(() => api.call('GET /gb28181/api/cruise/stop/{deviceId}/{channelId}', tour))}>
          {words.stopTour}
        </Command>
      </Group>
      <Group gap="xs" align="flex-end">
        <Numbered label={words.scan} value={scanId} onChange={setScanId} />
        <Command onClick={() => tell(() => api.call('GET /gb28181/api/scan/start/{deviceId}/{channelId}', scan))}>
          {words.startScan}
        </Command>
        <Command onClick={() => tell(() => api.call('GET /gb28181/api/scan/stop/{deviceId}/{channelId}', scan))}>
          {words.stopScan}
        </Command>
        <Command onClick={() => tell(() => api.call('GET /gb28181/api/scan/set/left/{deviceId}/{channelId}', scan))}>
          {words.scanLeft}
        </Command>
        <Command onClick={() => tell(() => api.call('GET /gb28181/api/scan/set/right/{deviceId}/{channelId}', scan))}>
          {words.scanRight}
        </Command>
      </Group>
    </Stack>
  )
}

type NumberedProps = {
  readonly label: string
  readonly value: number
  readonly onChange: (value: number) => void
}

function Numbered({ label, value, onChange }: NumberedProps) {
  return (
    <NumberInput
      size="xs"
      w={110}
      label={label}
      min={0}
      max={MAX_NUMBER}
      value={value}
      onChange={(next) => onChange(Number(next) || 0)}
    />
  )
}

function Command({ children, onClick }: { readonly children: string; readonly onClick: () => void }) {
  return (
    <Button size="xs" variant="default" onClick={onClick}>
      {children}
    </Button>
  )
}
