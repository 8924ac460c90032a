import { NativeSelect } from '@mantine/core'
import type { WORDS } from './users-words.ts'

export type Role = 'user' | 'admin'

type Props = {
  readonly words: (typeof WORDS)['en']
  readonly value: Role
  readonly onChange: (role: Role) => void
  /** The name for screen readers; the field has a label unless it is given. */
  readonly name?: string
}

export function RoleSelect({ words, value, onChange, name }: Props) {
  return (
    <NativeSelect
      {...(name === undefined ? { label: words.role } : { 'aria-label': name, size: 'xs' as const })}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value === 'admin' ? 'admin' : 'user')}
      data={Object.entries(words.roles).map(([role, label]) => ({ value: role, label }))}
    />
  )
}
