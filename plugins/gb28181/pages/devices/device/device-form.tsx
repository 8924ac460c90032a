import { Checkbox, Fieldset, NativeSelect, PasswordInput, SimpleGrid, Stack, Text, TextInput } from '@mantine/core'
import { useState, type ChangeEvent } from 'react'
import type { Paths } from 'sluice/api'
import { useConsole } from '../console-context.ts'
import { DEVICE_FORM_WORDS } from './device-form-words.ts'

type Settings = Paths['POST /gb28181/api/device/add']['body']
export type Device = Paths['GET /gb28181/api/devices/{deviceId}']['answer']['data']

export type DeviceFormProps = {
  /** Undefined for a device that is added. */
  readonly device: Device | undefined
  readonly onClose: () => void
  readonly onSaved: (deviceId: string) => void
}

const MODES = ['TCP-PASSIVE', 'UDP', 'TCP-ACTIVE']
const CHARSETS = ['GB2312', 'GB18030', 'UTF-8']
const SUBSCRIPTIONS = ['subscribeCatalog', 'subscribeAlarm', 'subscribePosition'] as const
const DEFAULTS: Settings = { deviceId: '', streamMode: 'TCP-PASSIVE', sendDate: true }

/** The settings of a device, of one that is there or of one that is to come. */
export function DeviceForm({ device, onClose, onSaved }: DeviceFormProps) {
  const console = useConsole()
  const { api } = console
  const { FormDialog } = console.components
  const words = console.words(DEVICE_FORM_WORDS)
  const [settings, setSettings] = useState<Settings>(() => (device === undefined ? DEFAULTS : settingsOf(device)))
  const isNew = device === undefined

  const text = (name: 'deviceId' | 'name' | 'password' | 'streamMode' | 'charset' | 'mediaIp' | 'sipIp') => ({
    value: settings[name] ?? '',
    onChange: ({ currentTarget: { value } }: ChangeEvent<HTMLInputElement | HTMLSelectElement>) =>
      setSettings((before) => ({ ...before, [name]: value })),
  })
  const flag = (name: (typeof SUBSCRIPTIONS)[number] | 'ssrcCheck' | 'sendDate') => ({
    label: words[name],
    checked: settings[name] ?? false,
    onChange: ({ currentTarget: { checked } }: ChangeEvent<HTMLInputElement>) =>
      setSettings((before) => ({ ...before, [name]: checked })),
  })
  const submit = async () => {
    if (isNew) await api.call('POST /gb28181/api/device/add', { body: settings })
    else await api.call('POST /gb28181/api/device/update', { body: changesOf(settingsOf(device), settings) })
    console.notify(isNew ? words.added : words.saved)
    onSaved(settings.deviceId)
  }
  return (
    <FormDialog
      title={isNew ? words.add : (settings.name ?? '') || settings.deviceId}
      submitText={words.save}
      isLong
      onSubmit={submit}
      onClose={onClose}
    >
      {isNew && (
        <>
          <Text size="sm" c="dimmed">
            {words.addHint}
          </Text>
          <TextInput
            label={words.id}
            description={words.idHint}
            required
            data-autofocus
            pattern="[A-Za-z0-9\-]{1,32}"
            {...text('deviceId')}
          />
        </>
      )}
      <TextInput label={words.name} description={words.nameHint} maxLength={255} {...text('name')} />
      <PasswordInput
        label={words.password}
        description={words.passwordHint}
        autoComplete="new-password"
        maxLength={128}
        {...text('password')}
      />
      <NativeSelect
        label={words.streamMode}
        data={MODES.map((mode) => ({ value: mode, label: words.streamModes[mode] ?? mode }))}
        {...text('streamMode')}
      />
      <NativeSelect
        label={words.charset}
        data={[{ value: '', label: words.asItWrites }, ...CHARSETS]}
        {...text('charset')}
      />
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <TextInput label={words.mediaIp} description={words.addressHint} {...text('mediaIp')} />
        <TextInput label={words.sipIp} description={words.addressHint} {...text('sipIp')} />
      </SimpleGrid>
      <Fieldset legend={words.subscriptions}>
        <Stack gap="xs">
          {SUBSCRIPTIONS.map((name) => (
            <Checkbox key={name} {...flag(name)} />
          ))}
        </Stack>
      </Fieldset>
      <Checkbox {...flag('ssrcCheck')} />
      <Checkbox {...flag('sendDate')} />
    </FormDialog>
  )
}

/** The fields that differ: a name that the device tells does not become one of the operator's. */
function changesOf(before: Settings, after: Settings): Settings {
  const changed = Object.entries(after).filter(([name, value]) => before[name as keyof Settings] !== value)
  return { ...Object.fromEntries(changed), deviceId: after.deviceId }
}

/** The settings that the form changes. A password is in no answer, and stays where the field is empty. */
function settingsOf(device: Device): Settings {
  const { deviceId, name, streamMode, charset, mediaIp, sipIp, ssrcCheck, sendDate } = device
  const { subscribeCatalog, subscribeAlarm, subscribePosition } = device
  const subscriptions = { subscribeCatalog, subscribeAlarm, subscribePosition }
  return { deviceId, name, streamMode, charset, mediaIp, sipIp, ssrcCheck, sendDate, ...subscriptions }
}
