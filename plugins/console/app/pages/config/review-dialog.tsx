import { Alert, Button, Group, Modal, Stack, Text } from '@mantine/core'
import { AlertIcon } from '@primer/octicons-react'
import { useEffect, useState } from 'react'
import type { Console } from 'sluice/sdk/console'
import type { Paths } from 'sluice/api'
import { ChangeTable } from './change-table.tsx'
import { configOf, type Change } from './changes.ts'
import { CONFIG_WORDS } from './config-words.ts'
import { FileLines } from './file-lines.tsx'
import type { Problems } from './use-problems.ts'
import type { LoadedSection } from './use-section.ts'

const CONFLICT = 409
const UNAVAILABLE = 503

type Props = {
  readonly console: Console<Paths>
  readonly name: string
  readonly loaded: LoadedSection
  readonly changes: readonly Change[]
  readonly problems: Problems
  readonly check: () => Promise<Problems>
  readonly refresh: () => Promise<void>
  readonly onSaved: () => Promise<void>
  readonly onClose: () => void
}

/** Shows the changes before they are saved, and saves them. */
export function ReviewDialog({ console, name, loaded, changes, problems, check, refresh, onSaved, onClose }: Props) {
  const words = console.words(CONFIG_WORDS)
  const { Problem } = console.components
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<Error>()
  useEffect(() => void check().catch(setError), [])

  const save = async (persistent: boolean) => {
    setBusy(true)
    try {
      if ((await check()).size > 0) return
      const body = { config: configOf(changes), revision: loaded.revision, persistent }
      const { data } = await console.api.call('PUT /config/{plugin}', { params: { plugin: name }, body })
      const done = persistent ? words.saved : words.setForNowDone
      console.notify(data.requires_restart ? words.savedRestart(data.restart_keys.join(', ')) : done)
      await onSaved()
    } catch (failure) {
      setError(failure as Error)
    } finally {
      setBusy(false)
    }
  }
  const loadAgain = async () => {
    await refresh()
    setError(undefined)
  }

  const status = (error as { readonly status?: number } | undefined)?.status
  const isStorable = loaded.isStorable && status !== UNAVAILABLE
  const isFaulty = problems.size > 0
  return (
    <Modal
      opened
      onClose={onClose}
      title={words.reviewTitle(name)}
      size="xl"
      closeButtonProps={{ 'aria-label': words.cancel }}
    >
      <Stack gap="md">
        <ChangeTable console={console} isGlobal={name === 'global'} changes={changes} />
        {changes.some(({ leaf: { apply } }) => apply === 'reload') && <Text size="sm">{words.reloadText}</Text>}
        {changes.some(({ leaf: { apply } }) => apply === 'restart') && <Text size="sm">{words.restartText}</Text>}
        {isFaulty && (
          <Alert color="red" icon={<AlertIcon />} title={words.faults} role="alert">
            {[...problems].map(([path, message]) => (
              <div key={path} style={{ whiteSpace: 'pre-line' }}>
                {path === '' ? message : words.more(message, path)}
              </div>
            ))}
          </Alert>
        )}
        {!isStorable && (
          <Alert color="yellow" icon={<AlertIcon />} title={words.noDatabase} role="alert">
            {error?.message ?? words.noDatabaseText}
          </Alert>
        )}
        {!isStorable && !isFaulty && <FileLines console={console} name={name} changes={changes} />}
        {error !== undefined && status === CONFLICT && (
          <Alert color="yellow" icon={<AlertIcon />} title={words.conflict} role="alert">
            <Stack gap="sm" align="flex-start">
              {error.message}
              <Text size="sm">{words.conflictText}</Text>
              <Button size="xs" onClick={() => void loadAgain()}>
                {words.loadAgain}
              </Button>
            </Stack>
          </Alert>
        )}
        {error !== undefined && status !== CONFLICT && status !== UNAVAILABLE && <Problem error={error} />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            {words.cancel}
          </Button>
          {!isStorable && (
            <Button variant="default" loading={isBusy} disabled={isFaulty} onClick={() => void save(false)}>
              {words.setForNow}
            </Button>
          )}
          {isStorable && (
            <Button loading={isBusy} disabled={isFaulty} onClick={() => void save(true)}>
              {words.save}
            </Button>
          )}
        </Group>
      </Stack>
    </Modal>
  )
}
