import { Button, Group } from '@mantine/core'
import { useConsole } from '../console-context.ts'
import type { Device } from './device-form.tsx'
import { DEVICE_WORDS } from './device-words.ts'

/** Guard, alarms, and a new start of a device. */
export function DeviceCommands({ device: { deviceId, name } }: { readonly device: Device }) {
  const console = useConsole()
  const { api, components } = console
  const words = console.words(DEVICE_WORDS)
  const { ConfirmButton } = components
  // The device stands for all of its channels.
  const params = { deviceId, channelId: deviceId }
  const guard = (cmdType: 'SetGuard' | 'ResetGuard') => {
    const input = { params: { ...params, cmdType } }
    return console.change(() => api.call('GET /gb28181/api/guard/{cmdType}/{deviceId}/{channelId}', input), words.told)
  }
  const resetAlarms = () =>
    console.change(() => api.call('GET /gb28181/api/alarm/reset/{deviceId}/{channelId}', { params }), words.told)
  const reboot = () =>
    console.change(() => api.call('GET /gb28181/api/teleboot/{deviceId}', { params: { deviceId } }), words.rebooted)
  return (
    <Group gap="xs">
      <Button size="xs" variant="default" onClick={() => void guard('SetGuard')}>
        {words.guardOn}
      </Button>
      <Button size="xs" variant="default" onClick={() => void guard('ResetGuard')}>
        {words.guardOff}
      </Button>
      <Button size="xs" variant="default" onClick={() => void resetAlarms()}>
        {words.resetAlarms}
      </Button>
      <ConfirmButton question={words.rebootQuestion(name || deviceId)} onConfirm={reboot}>
        {words.reboot}
      </ConfirmButton>
    </Group>
  )
}
