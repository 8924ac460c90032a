import { Anchor, Button, Image, Stack } from '@mantine/core'
import { useState } from 'react'
import type { NamedChannel } from '../channel.ts'
import { useConsole } from '../console-context.ts'
import { CONTROL_WORDS } from './control-words.ts'

/** Has a device of 2022 take a picture, and shows it. */
export function Snapshot({ channel }: { readonly channel: NamedChannel }) {
  const console = useConsole()
  const { api } = console
  const words = console.words(CONTROL_WORDS)
  const [picture, setPicture] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  const { deviceId, channelId, name } = channel

  const take = async () => {
    setBusy(true)
    await console.change(async () => {
      const { imageData } = await api.call('GET /gb28181/api/snap/{deviceId}/{channelId}', {
        params: { deviceId, channelId },
      })
      if (imageData === '') console.notify(words.noSnapshot, 'failed')
      else setPicture(`data:image/jpeg;base64,${imageData}`)
    })
    setBusy(false)
  }
  return (
    <Stack gap="xs" align="flex-start">
      <Button size="xs" variant="default" loading={isBusy} onClick={() => void take()}>
        {words.snapshot}
      </Button>
      {picture !== undefined && (
        <Anchor href={picture} download={`${channelId}.jpg`}>
          <Image src={picture} alt={words.snapshotOf(name)} maw={320} radius="sm" />
        </Anchor>
      )}
    </Stack>
  )
}
