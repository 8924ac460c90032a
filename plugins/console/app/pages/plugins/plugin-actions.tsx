import { Button, Tooltip } from '@mantine/core'
import { useState } from 'react'
import type { Console } from 'sluice/sdk/console'
import type { Paths } from 'sluice/api'
import type { Plugin } from './plugin-list.ts'
import type { WORDS } from './plugin-words.ts'

type Props = {
  readonly console: Console<Paths>
  readonly plugin: Plugin
  readonly refresh: () => Promise<void>
  readonly words: (typeof WORDS)['en']
}

/** The plugin that serves this page. */
const OWN = 'console'

/** The buttons that reload a plugin, and switch it on and off. */
export function PluginActions({ console, plugin: { name, description }, refresh, words }: Props) {
  const { ConfirmButton } = console.components
  const [isBusy, setBusy] = useState(false)
  if (!console.user.mayChange) return null
  const params = { plugin: name }
  const change = async (action: () => Promise<unknown>, done: string) => {
    setBusy(true)
    await console.change(action, done)
    await refresh()
    setBusy(false)
  }
  const reload = () =>
    change(() => console.api.call('POST /api/config/{plugin}/reload', { params }), words.reloaded(name))
  const enable = (isOn: boolean) =>
    change(
      () => console.api.call('PUT /config/{plugin}', { params, body: { enable: isOn } }),
      isOn ? words.isOn(name) : words.isOff(name),
    )
  const isOff = description['state'] === 'off'
  return (
    <>
      {!isOff && (
        <Tooltip label={words.reloadHint} multiline w={280}>
          <Button size="xs" variant="default" loading={isBusy} onClick={() => void reload()}>
            {words.reload}
          </Button>
        </Tooltip>
      )}
      {isOff ? (
        <Button size="xs" loading={isBusy} onClick={() => void enable(true)}>
          {words.switchOn}
        </Button>
      ) : (
        <ConfirmButton
          question={name === OWN ? words.ownQuestion : words.offQuestion(name)}
          onConfirm={() => enable(false)}
          isDisabled={isBusy}
        >
          {words.switchOff}
        </ConfirmButton>
      )}
    </>
  )
}
