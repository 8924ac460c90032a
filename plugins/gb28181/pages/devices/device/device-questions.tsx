import { Button, Group, Stack } from '@mantine/core'
import { useState } from 'react'
import type { Paths } from 'sluice/api'
import { useConsole } from '../console-context.ts'
import { DEVICE_WORDS } from './device-words.ts'
import { Facts } from './facts.tsx'

type Info = Paths['GET /gb28181/api/devices/{deviceId}/info']['answer']['data']
type Status = Paths['GET /gb28181/api/devices/{deviceId}/status']['answer']['data']

/** Asks a device what and how it is, and shows what it says. */
export function DeviceQuestions({ deviceId }: { readonly deviceId: string }) {
  const console = useConsole()
  const { api, format } = console
  const words = console.words(DEVICE_WORDS)
  const [info, setInfo] = useState<Info>()
  const [status, setStatus] = useState<Status>()
  const params = { deviceId }
  const askInfo = () =>
    console.change(async () => setInfo((await api.call('GET /gb28181/api/devices/{deviceId}/info', { params })).data))
  const askStatus = () =>
    console.change(async () =>
      setStatus((await api.call('GET /gb28181/api/devices/{deviceId}/status', { params })).data),
    )
  const said = (text: string) => words.yesNo[text] ?? text
  return (
    <Stack gap="xs">
      <Group gap="xs">
        <Button size="xs" variant="default" onClick={() => void askInfo()}>
          {words.askInfo}
        </Button>
        <Button size="xs" variant="default" onClick={() => void askStatus()}>
          {words.askStatus}
        </Button>
      </Group>
      {info !== undefined && (
        <Facts
          label={words.askInfo}
          facts={[
            [words.name, info.deviceName],
            [words.manufacturer, info.manufacturer],
            [words.model, info.model],
            [words.firmware, info.firmware],
            [words.channels, format.number(info.channel)],
          ]}
        />
      )}
      {status !== undefined && (
        <Facts
          label={words.askStatus}
          facts={[
            [words.works, said(status.status)],
            [words.encodes, said(status.encode)],
            [words.records, said(status.record)],
            [words.itsTime, format.time(status.deviceTime ?? undefined)],
            ...(status.reason === '' ? [] : [[words.reason, status.reason] as const]),
          ]}
        />
      )}
    </Stack>
  )
}
