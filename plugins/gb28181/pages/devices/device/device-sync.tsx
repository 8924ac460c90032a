import { Button, Progress, Stack, Text } from '@mantine/core'
import { SyncIcon } from '@primer/octicons-react'
import { useEffect, useState } from 'react'
import { useConsole } from '../console-context.ts'
import { DEVICE_WORDS } from './device-words.ts'

const REFRESH_MS = 1000

/** Has the channels of a device fetched anew, and shows how far that is. */
export function DeviceSync({ deviceId }: { readonly deviceId: string }) {
  const console = useConsole()
  const { api, format } = console
  const words = console.words(DEVICE_WORDS)
  const [isBegun, setBegun] = useState(false)
  const [isRunning, setRunning] = useState(false)
  const params = { deviceId }
  const operation = 'GET /gb28181/api/{deviceId}/sync_status'
  const { data, refresh } = console.useCall(
    isBegun ? operation : undefined,
    { params },
    isRunning ? { refreshMs: REFRESH_MS } : {},
  )
  useEffect(() => {
    if (data !== undefined) setRunning(data.running)
  }, [data])

  const begin = async () => {
    if (!(await console.change(() => api.call('GET /gb28181/api/devices/{deviceId}/sync', { params })))) return
    setBegun(true)
    setRunning(true)
    await refresh()
  }
  const { current = 0, total = 0, errorMsg = '' } = data ?? {}
  return (
    <Stack gap={6}>
      <Button
        size="xs"
        variant="default"
        leftSection={<SyncIcon size={14} />}
        loading={isRunning}
        style={{ alignSelf: 'flex-start' }}
        onClick={() => void begin()}
      >
        {words.sync}
      </Button>
      {isBegun && data !== undefined && (
        <>
          {isRunning && (
            <Progress.Root>
              <Progress.Section value={total === 0 ? 0 : (100 * current) / total} aria-label={words.sync} />
            </Progress.Root>
          )}
          <Text size="sm" c={errorMsg === '' ? 'dimmed' : 'red'} role="status">
            {errorMsg ||
              (isRunning
                ? words.syncing(format.number(current), format.number(total))
                : words.synced(format.number(current)))}
          </Text>
        </>
      )}
    </Stack>
  )
}
