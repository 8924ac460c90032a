import Form from '@rjsf/core/lib/components/Form.js'
import type { Experimental_DefaultFormStateBehavior, RJSFSchema } from '@rjsf/utils'
import { useMemo, useState, type ReactNode } from 'react'
import { useWords } from '../language.ts'
import { plainSchema, type FieldSchema } from './field-schema.ts'
import { FORM_FIELDS, FORM_TEMPLATES } from './form-theme.tsx'
import { formValidator } from './form-validator.ts'
import { FORM_WORDS } from './form-words.ts'

/** The fields of a schema. */
export type SchemaFormProps = {
  /** The beginning of the ids of its inputs; another for each form of a page. */
  readonly id: string
  readonly schema: FieldSchema
  readonly value: unknown
  readonly onChange: (value: unknown) => void
  /** Called when the form is sent and its value fits the schema; without it, the fields are a part of another form. */
  readonly onSubmit?: (value: unknown) => void
  readonly isReadOnly?: boolean
  /** Puts defaults of the schema into the value; otherwise they are only shown. */
  readonly withDefaults?: boolean
  /** The end of the form, its button. */
  readonly children?: ReactNode
}

const NO_DEFAULTS: Experimental_DefaultFormStateBehavior = {
  emptyObjectFields: 'skipDefaults',
  arrayMinItems: { populate: 'never' },
  constAsDefaults: 'never',
}

/** A form of a JSON Schema. */
export default function SchemaForm(props: SchemaFormProps) {
  const { id, schema, value, onChange, onSubmit, isReadOnly = false, withDefaults = false, children } = props
  const words = useWords(FORM_WORDS)
  const plain = useMemo(() => plainSchema(schema) as RJSFSchema, [schema])
  // Nobody is told of faults before the end, but then of each that is gone.
  const [hasFailed, setFailed] = useState(false)
  const validator = useMemo(() => formValidator(schema, words.fault), [schema, words])
  return (
    <Form
      idPrefix={id}
      tagName={onSubmit === undefined ? 'div' : 'form'}
      schema={plain}
      validator={validator}
      fields={FORM_FIELDS}
      templates={FORM_TEMPLATES}
      formData={value}
      onChange={({ formData }) => onChange(formData)}
      {...(onSubmit && { onSubmit: ({ formData }: { formData?: unknown }) => onSubmit(formData) })}
      {...(withDefaults ? {} : { experimental_defaultFormStateBehavior: NO_DEFAULTS })}
      onError={() => setFailed(true)}
      noValidate={onSubmit === undefined}
      noHtml5Validate
      liveValidate={hasFailed ? 'onChange' : false}
      showErrorList={false}
      focusOnFirstError
      readonly={isReadOnly}
    >
      {children ?? <></>}
    </Form>
  )
}
