import { Anchor, Button, Group, Stack, Title } from '@mantine/core'
import { PencilIcon } from '@primer/octicons-react'
import { useState } from 'react'
import type { NamedChannel } from '../channel.ts'
import { useConsole } from '../console-context.ts'
import { StateText } from '../state-icon.tsx'
import { DeviceCommands } from './device-commands.tsx'
import { DeviceConfigForm } from './device-config-form.tsx'
import { DeviceForm, type Device } from './device-form.tsx'
import { DeviceQuestions } from './device-questions.tsx'
import { DeviceSync } from './device-sync.tsx'
import { DEVICE_WORDS } from './device-words.ts'
import { Facts } from './facts.tsx'

export type DeviceTabProps = {
  readonly device: Device
  readonly channel: NamedChannel | undefined
  /** The stream that the channel plays. */
  readonly streamPath: string
  readonly isNewer: boolean
  readonly onChanged: () => void
  readonly onRemoved: () => void
}

/** The facts and actions of a device. */
export function DeviceTab({ device, channel, streamPath, isNewer, onChanged, onRemoved }: DeviceTabProps) {
  const console = useConsole()
  const words = console.words(DEVICE_WORDS)
  const { format, user } = console
  const { ConfirmButton } = console.components
  const [isEdited, setEdited] = useState(false)
  const { deviceId, online, version, transport, ip, port, longitude, latitude } = device
  const name = device.name || deviceId

  const remove = async () => {
    const params = { id: deviceId }
    const isDone = await console.change(
      () => console.api.call('POST /gb28181/api/device/remove/{id}', { params }),
      words.removed,
    )
    if (isDone) onRemoved()
  }
  return (
    <Stack gap="md">
      {channel !== undefined && <ChannelFacts channel={channel} streamPath={streamPath} />}
      <Group gap="xs" justify="space-between">
        <Title order={3} size="h5">
          {name}
        </Title>
        {user.mayChange && (
          <Group gap="xs">
            <Button
              size="xs"
              variant="default"
              leftSection={<PencilIcon size={14} />}
              aria-label={words.editOf(name)}
              onClick={() => setEdited(true)}
            >
              {words.edit}
            </Button>
            <ConfirmButton question={words.removeQuestion(name)} onConfirm={remove}>
              {words.remove}
            </ConfirmButton>
          </Group>
        )}
      </Group>
      <Facts
        label={name}
        facts={[
          [words.id, deviceId],
          [words.state, <StateText key="state" state={online ? 'online' : 'offline'} />],
          [words.manufacturer, device.manufacturer || '–'],
          [words.model, device.model || '–'],
          [words.firmware, device.firmware || '–'],
          [words.version, version === '' ? words.versionUntold : (words.versions[version] ?? version)],
          [words.address, ip === '' ? '–' : `${transport} ${ip.includes(':') ? `[${ip}]` : ip}:${port}`],
          [words.media, device.streamMode],
          [words.heard, format.time(device.keepAliveTime ?? undefined)],
          [words.registered, format.time(device.registerTime ?? undefined)],
          [words.channels, format.number(device.channelCount)],
          ...(longitude === '' && latitude === '' ? [] : [[words.position, `${longitude}, ${latitude}`] as const]),
        ]}
      />
      {online && <DeviceQuestions key={deviceId} deviceId={deviceId} />}
      {online && user.mayChange && (
        <>
          <DeviceSync key={deviceId} deviceId={deviceId} />
          <DeviceCommands device={device} />
          <Stack gap="xs" align="flex-start">
            <Title order={3} size="h6">
              {words.config}
            </Title>
            <DeviceConfigForm key={deviceId} deviceId={deviceId} isNewer={isNewer} />
          </Stack>
        </>
      )}
      {isEdited && <DeviceForm device={device} onClose={() => setEdited(false)} onSaved={onChanged} />}
    </Stack>
  )
}

export type ChannelFactsProps = { readonly channel: NamedChannel; readonly streamPath: string }

/** The ids of a channel, with the way to its stream. */
export function ChannelFacts({ channel, streamPath }: ChannelFactsProps) {
  const console = useConsole()
  const words = console.words(DEVICE_WORDS)
  return (
    <Facts
      label={channel.name}
      facts={[
        [words.channel, channel.name],
        [words.id, channel.channelId],
        [
          words.path,
          <Anchor key="path" size="sm" {...console.link(console.streamPage(streamPath))}>
            {streamPath}
          </Anchor>,
        ],
      ]}
    />
  )
}
