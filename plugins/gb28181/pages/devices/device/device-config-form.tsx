import { Button, Checkbox, Group, NativeSelect, NumberInput, Stack, TextInput } from '@mantine/core'
import { useState, type FormEvent } from 'react'
import { useConsole } from '../console-context.ts'
import { configChanges, configTypes, parseConfig, type DeviceConfig } from './device-config.ts'
import { DEVICE_WORDS } from './device-words.ts'

const MAX_SECONDS = 86_400
const MAX_COUNT = 255
const NUMBERS = [
  ['expiration', MAX_SECONDS],
  ['heartBeatInterval', MAX_SECONDS],
  ['heartBeatCount', MAX_COUNT],
] as const

export type DeviceConfigFormProps = { readonly deviceId: string; readonly isNewer: boolean }

/** Reads parts of a device's own configuration from it, and changes them. */
export function DeviceConfigForm({ deviceId, isNewer }: DeviceConfigFormProps) {
  const console = useConsole()
  const { api } = console
  const words = console.words(DEVICE_WORDS)
  const [before, setBefore] = useState<DeviceConfig>()
  const [config, setConfig] = useState<DeviceConfig>()
  const params = { deviceId, channelId: deviceId }

  const read = () =>
    console.change(async () => {
      const query = { types: configTypes(isNewer) }
      const { data } = await api.call('GET /gb28181/api/config/{deviceId}/{channelId}', { params, query })
      const parsed = parseConfig(data)
      setBefore(parsed)
      setConfig(parsed)
    })
  if (config === undefined || before === undefined) {
    return (
      <Button size="xs" variant="default" onClick={() => void read()}>
        {words.configRead}
      </Button>
    )
  }
  const set = (changed: Partial<DeviceConfig>) => setConfig({ ...config, ...changed })
  const changes = configChanges(before, config)
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (changes === undefined) return
    const input = { params, body: changes }
    if (await console.change(() => api.call('POST /gb28181/api/config/{deviceId}/{channelId}', input), words.saved)) {
      setBefore(config)
    }
  }
  const { alarmReport } = config
  return (
    <form onSubmit={(event) => void submit(event)}>
      <Stack gap="xs">
        <TextInput
          size="xs"
          label={words.name}
          maxLength={255}
          value={config.name}
          onChange={({ currentTarget }) => set({ name: currentTarget.value })}
        />
        <Group gap="xs" align="flex-end">
          {NUMBERS.map(([name, max]) => (
            <NumberInput
              key={name}
              size="xs"
              w={150}
              label={words[name]}
              min={1}
              max={max}
              value={config[name]}
              onChange={(value) => set({ [name]: Number(value) || 0 })}
            />
          ))}
        </Group>
        {config.frameMirror !== undefined && (
          <NativeSelect
            size="xs"
            label={words.mirror}
            value={String(config.frameMirror)}
            onChange={({ currentTarget }) => set({ frameMirror: Number(currentTarget.value) as 0 | 1 | 2 | 3 })}
            data={words.mirrors.map((label, mode) => ({ value: String(mode), label }))}
          />
        )}
        {alarmReport !== undefined && (
          <>
            <Checkbox
              label={words.motionDetection}
              checked={alarmReport.motionDetection}
              onChange={({ currentTarget }) =>
                set({ alarmReport: { ...alarmReport, motionDetection: currentTarget.checked } })
              }
            />
            <Checkbox
              label={words.fieldDetection}
              checked={alarmReport.fieldDetection}
              onChange={({ currentTarget }) =>
                set({ alarmReport: { ...alarmReport, fieldDetection: currentTarget.checked } })
              }
            />
          </>
        )}
        <Group gap="xs">
          <Button size="xs" type="submit" disabled={changes === undefined}>
            {words.save}
          </Button>
          <Button size="xs" variant="default" onClick={() => void read()}>
            {words.configRead}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
