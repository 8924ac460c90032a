import { Button, Drawer, Group, Stack, Text } from '@mantine/core'
import { useState, type FormEvent, type ReactNode } from 'react'
import type { Paths } from 'sluice/api'
import type { Console } from 'sluice/sdk/console'
import { WORDS } from './form-words.ts'
import { fieldOf } from './pull-values.ts'

type Props = {
  readonly console: Console<Paths>
  readonly title: string
  /** Does what the form says; a refusal is shown in the form. */
  readonly onBegin: () => Promise<void>
  readonly onClose: () => void
  /** The fields. `errorOf` gives an input, by its name in the API, the refusal that names it. */
  readonly children: (errorOf: (name: string) => { readonly error?: string }) => ReactNode
  /** The names of the fields that show their refusals themselves. */
  readonly fields: readonly string[]
}

/** A form beside the list, which stays until the server has done what it says. */
export function FormDrawer({ console, title, onBegin, onClose, children, fields }: Props) {
  const words = console.words(WORDS)
  const { Problem } = console.components
  const [error, setError] = useState<Error>()
  const [isBusy, setBusy] = useState(false)
  const field = error && fieldOf(error.message)
  const isNamed = fields.some((name) => name.toLowerCase() === field)
  const errorOf = (name: string) =>
    error !== undefined && name.toLowerCase() === field ? { error: error.message } : {}

  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setBusy(true)
    setError(undefined)
    try {
      await onBegin()
      onClose()
    } catch (failure) {
      setError(failure as Error)
      setBusy(false)
    }
  }

  return (
    <Drawer
      opened
      onClose={onClose}
      position="right"
      size={460}
      title={title}
      closeButtonProps={{ 'aria-label': words.close }}
    >
      <form onSubmit={(event) => void submit(event)} noValidate>
        <Stack>
          {children(errorOf)}
          <Text size="xs" c="dimmed">
            {words.once}
          </Text>
          {error !== undefined && !isNamed && <Problem error={error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {words.cancel}
            </Button>
            <Button type="submit" loading={isBusy}>
              {words.begin}
            </Button>
          </Group>
        </Stack>
      </form>
    </Drawer>
  )
}
