import { CloseButton, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { SearchIcon } from '@primer/octicons-react'
import { useState } from 'react'
import type { SearchInputProps } from 'sluice/sdk/console'
import { KIT_WORDS } from './kit-words.ts'
import { useWords } from './language.ts'

const TYPING_PAUSE_MS = 250

export function SearchInput({ label, initial = '', onSearch }: SearchInputProps) {
  const words = useWords(KIT_WORDS)
  const [typed, setTyped] = useState(initial)
  const search = useDebouncedCallback(onSearch, TYPING_PAUSE_MS)
  const type = (text: string) => {
    setTyped(text)
    search(text.trim())
  }
  return (
    <TextInput
      type="search"
      aria-label={label}
      placeholder={label}
      leftSection={<SearchIcon />}
      value={typed}
      w="100%"
      maw={420}
      onChange={({ currentTarget }) => type(currentTarget.value)}
      rightSection={typed !== '' && <CloseButton size="sm" aria-label={words.clearSearch} onClick={() => type('')} />}
    />
  )
}
