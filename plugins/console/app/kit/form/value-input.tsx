import { Checkbox, Group, NativeSelect, NumberInput, Switch, TagsInput, Textarea, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useWords } from '../language.ts'
import { choicesOf, inputKindOf } from './field-schema.ts'
import { FORM_WORDS } from './form-words.ts'
import type { FramedInputProps, ValueInputProps } from './input-props.ts'
import { SecretInput } from './secret-input.tsx'

/** The style of a value that comes from elsewhere. */
const DIMMED = { input: { color: 'var(--mantine-color-dimmed)' } }

/** The input that fits a schema; nothing for schemas whose values are made of several, see `inputKindOf`. */
export function ValueInput(props: ValueInputProps) {
  const { id, schema, value, onChange, label, description, error, isRequired = false, isDisabled = false } = props
  const words = useWords(FORM_WORDS)
  const frame = {
    id,
    label,
    description,
    error,
    disabled: isDisabled,
    withAsterisk: isRequired,
    ...(props.isDimmed === true && { styles: DIMMED }),
  }
  const placeholder = value === undefined && schema.default !== undefined ? shownText(schema.default) : undefined
  switch (inputKindOf(schema)) {
    case 'switch':
      return (
        <Switch
          id={id}
          label={label}
          description={description}
          error={error}
          disabled={isDisabled}
          opacity={props.isDimmed === true ? 0.75 : 1}
          checked={(value ?? schema.default) === true}
          onChange={({ currentTarget }) => onChange(currentTarget.checked)}
        />
      )
    case 'choice':
      return <ChoiceInput {...props} frame={frame} />
    case 'choices':
      return <ChoicesInput {...props} />
    case 'number':
      return (
        <NumberInput
          {...frame}
          value={typeof value === 'number' ? value : ''}
          placeholder={placeholder}
          allowDecimal={schema.type === 'number'}
          allowNegative={schema.minimum === undefined || schema.minimum < 0}
          clampBehavior="none"
          onChange={(next) => onChange(next === '' || Number.isNaN(Number(next)) ? undefined : Number(next))}
        />
      )
    case 'tags': {
      const isNumbers = schema.items !== undefined && inputKindOf(schema.items) === 'number'
      const meant = (text: string) =>
        isNumbers && text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text
      return (
        <TagsInput
          {...frame}
          value={(Array.isArray(value) ? value : []).map(String)}
          placeholder={placeholder ?? words.tagHint}
          acceptValueOnBlur
          onChange={(next) => onChange(next.map(meant))}
        />
      )
    }
    case 'password':
      return <SecretInput {...props} frame={frame} />
    case 'text': {
      const shown = typeof value === 'string' ? value : value === undefined ? '' : shownText(value)
      const Input = shown.includes('\n') ? Textarea : TextInput
      return (
        <Input
          {...frame}
          value={shown}
          placeholder={placeholder}
          autoComplete="off"
          spellCheck={false}
          onChange={({ currentTarget }) => onChange(currentTarget.value)}
        />
      )
    }
    case 'json':
      return <JsonInput {...props} frame={frame} />
    case undefined:
      return null
  }
}

function ChoiceInput({ schema, value, onChange, frame }: FramedInputProps) {
  const words = useWords(FORM_WORDS)
  const choices = choicesOf(schema) ?? []
  const held = choices.findIndex((choice) => choice.value === (value ?? schema.default))
  const data = choices.map(({ title }, index) => ({ value: String(index), label: title }))
  // A value that is none of the choices is not replaced by the first of them unseen.
  const blank = held === -1 ? [{ value: '', label: value === undefined ? words.nothing : shownText(value) }] : []
  return (
    <NativeSelect
      {...frame}
      data={[...blank, ...data]}
      value={held === -1 ? '' : String(held)}
      onChange={({ currentTarget }) => onChange(choices[Number(currentTarget.value)]?.value)}
    />
  )
}

/** Some of several values, in the order of the schema. */
function ChoicesInput({ id, schema, value, onChange, label, description, error, isDisabled = false }: ValueInputProps) {
  const choices = choicesOf(schema.items ?? {}) ?? []
  const chosen: readonly unknown[] = Array.isArray(value) ? value : []
  const indices = choices.flatMap((choice, index) => (chosen.includes(choice.value) ? [String(index)] : []))
  return (
    <Checkbox.Group
      id={id}
      label={label}
      description={description}
      error={error}
      value={indices}
      onChange={(next) =>
        onChange(choices.flatMap((choice, index) => (next.includes(String(index)) ? [choice.value] : [])))
      }
      {...(label === undefined && { 'aria-labelledby': `${id}-label` })}
    >
      <Group gap="md" mt={4}>
        {choices.map(({ title }, index) => (
          <Checkbox key={title} value={String(index)} label={title} disabled={isDisabled} />
        ))}
      </Group>
    </Checkbox.Group>
  )
}

/** A value of any form as JSON; what is no JSON yet stays in the input. */
function JsonInput({ value, onChange, error, frame }: FramedInputProps) {
  const words = useWords(FORM_WORDS)
  const [draft, setDraft] = useState<string>()
  const change = (text: string) => {
    const parsed = parsedJson(text)
    setDraft(parsed === undefined ? text : undefined)
    if (parsed !== undefined) onChange(parsed.value)
  }
  return (
    <Textarea
      {...frame}
      error={draft === undefined ? error : words.notJson}
      value={draft ?? (value === undefined ? '' : JSON.stringify(value, undefined, 2))}
      autosize
      minRows={2}
      maxRows={16}
      spellCheck={false}
      onChange={({ currentTarget }) => change(currentTarget.value)}
    />
  )
}

function parsedJson(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: text.trim() === '' ? undefined : (JSON.parse(text) as unknown) }
  } catch {
    return undefined
  }
}

function shownText(value: unknown): string {
  if (typeof value === 'string') return value
  return Array.isArray(value) ? value.map(shownText).join(', ') : JSON.stringify(value)
}
