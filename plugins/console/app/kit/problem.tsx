import { Alert, Button, Stack } from '@mantine/core'
import { AlertIcon } from '@primer/octicons-react'
import type { ProblemProps } from 'sluice/sdk/console'
import { KIT_WORDS } from './kit-words.ts'
import { useWords } from './language.ts'

export function Problem({ error, onRetry }: ProblemProps) {
  const words = useWords(KIT_WORDS)
  return (
    <Alert color="red" icon={<AlertIcon />} title={words.failed} role="alert">
      <Stack gap="sm" align="flex-start">
        {error.message}
        {onRetry !== undefined && (
          <Button size="xs" variant="light" color="red" onClick={onRetry}>
            {words.retry}
          </Button>
        )}
      </Stack>
    </Alert>
  )
}
