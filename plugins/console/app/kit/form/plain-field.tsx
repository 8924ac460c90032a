import type { FieldProps } from '@rjsf/utils'
import type { FieldSchema } from './field-schema.ts'
import { ValueInput } from './value-input.tsx'

/** A field of the form that one input holds. */
export function PlainField(props: FieldProps) {
  const {
    schema,
    fieldPathId,
    formData,
    onChange,
    name,
    title,
    required = false,
    disabled,
    readonly,
    rawErrors,
  } = props
  const field = schema as FieldSchema
  // Nothing in an input that may be left out is no value at all.
  const change = (value: unknown) => {
    onChange(value === '' && !required && field.writeOnly !== true ? undefined : value, fieldPathId.path)
  }
  return (
    <ValueInput
      id={fieldPathId.$id}
      schema={field}
      value={formData}
      onChange={change}
      label={field.title ?? title ?? name}
      description={field.description}
      error={rawErrors?.join('; ')}
      isRequired={required}
      isDisabled={disabled === true || readonly === true}
    />
  )
}
