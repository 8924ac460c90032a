import { Alert, Stack } from '@mantine/core'
import { useCallback, useEffect } from 'react'
import { useWords } from '../kit/language.ts'
import { Problem } from '../kit/problem.tsx'
import { forgetModule } from './module-page.tsx'
import type { PluginPage } from './plugin-pages.ts'
import { SHELL_WORDS } from './shell-words.ts'

type Props = {
  readonly error: Error
  readonly retry: () => void
  /** The page, where it is that of a plugin. */
  readonly page: PluginPage | undefined
}

/** The error of a page in its place. Its module is loaded anew on a retry, and on the next visit. */
export function PageFailure({ error, retry, page }: Props) {
  const words = useWords(SHELL_WORDS)
  const address = page?.kind === 'module' ? page.module : undefined
  const forget = useCallback(() => {
    if (address !== undefined) forgetModule(address)
  }, [address])
  useEffect(() => forget, [forget])
  return (
    <Stack>
      {page !== undefined && (
        <Alert color="gray" title={words.pageFailed}>
          {words.pageFailedText} {page.plugin}
        </Alert>
      )}
      <Problem
        error={error}
        onRetry={() => {
          forget()
          retry()
        }}
      />
    </Stack>
  )
}
