import { Button, Drawer, Group, Modal, Stack } from '@mantine/core'
import { useEffect, useState, type FormEvent } from 'react'
import type { FormDialogProps } from 'sluice/sdk/console'
import { KIT_WORDS } from './kit-words.ts'
import { useWords } from './language.ts'
import { Problem } from './problem.tsx'

export default function FormDialog(props: FormDialogProps) {
  const { title, submitText, onSubmit, onClose, children, fieldOf } = props
  const { isLong = false, isReady = true, isDestructive = false } = props
  const words = useWords(KIT_WORDS)
  const [error, setError] = useState<Error>()
  const [isBusy, setBusy] = useState(false)
  useFocusBefore()
  const field = error && fieldOf?.(error.message)
  const refusalOf = (name: string) => (error !== undefined && name === field ? { error: error.message } : {})

  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setBusy(true)
    setError(undefined)
    try {
      await onSubmit()
      onClose()
    } catch (failure) {
      setError(failure as Error)
      setBusy(false)
    }
  }
  const form = (
    <form onSubmit={(event) => void submit(event)} noValidate>
      <Stack>
        {typeof children === 'function' ? children(refusalOf) : children}
        {error !== undefined && field === undefined && <Problem error={error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {words.cancel}
          </Button>
          <Button type="submit" loading={isBusy} disabled={!isReady} {...(isDestructive && { color: 'red' })}>
            {submitText}
          </Button>
        </Group>
      </Stack>
    </form>
  )
  const frame = { opened: true, onClose, title, closeButtonProps: { 'aria-label': words.close } }
  return isLong ? (
    <Drawer {...frame} position="right" size={460}>
      {form}
    </Drawer>
  ) : (
    <Modal {...frame}>{form}</Modal>
  )
}

/** Gives the focus back to what had it before, when the component goes. */
function useFocusBefore(): void {
  useEffect(() => {
    const before = document.activeElement
    return () => {
      if (before instanceof HTMLElement) before.focus({ preventScroll: true })
    }
  }, [])
}
