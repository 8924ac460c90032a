import { ActionIcon, PasswordInput } from '@mantine/core'
import { XIcon } from '@primer/octicons-react'
import { useRef } from 'react'
import { useWords } from '../language.ts'
import { SECRET_MASK } from './field-schema.ts'
import { FORM_WORDS } from './form-words.ts'
import type { FramedInputProps } from './input-props.ts'

/** A secret. One that is set is not shown: the input is empty, and says so. */
export function SecretInput({ value, onChange, isDisabled = false, frame }: FramedInputProps) {
  const words = useWords(FORM_WORDS)
  const wasSet = useRef(value === SECRET_MASK)
  if (value === SECRET_MASK) wasSet.current = true
  const isSet = value === SECRET_MASK
  return (
    <PasswordInput
      {...frame}
      value={typeof value === 'string' && !isSet ? value : ''}
      placeholder={isSet ? words.secretSet : ''}
      autoComplete="new-password"
      visibilityToggleButtonProps={{ 'aria-label': words.showSecret }}
      onChange={({ currentTarget }) =>
        onChange(currentTarget.value === '' && wasSet.current ? SECRET_MASK : currentTarget.value)
      }
      {...(isSet &&
        !isDisabled && {
          rightSection: (
            <ActionIcon
              variant="subtle"
              color="gray"
              size="sm"
              aria-label={words.clearSecret}
              onClick={() => onChange('')}
            >
              <XIcon />
            </ActionIcon>
          ),
        })}
    />
  )
}
