import type { FieldSchema } from './field-schema.ts'

/** An input of one value. */
export type ValueInputProps = {
  /** The id of the input; that of a label outside it is the same with `-label`. */
  readonly id: string
  readonly schema: FieldSchema
  /** Undefined shows the default of the schema as what holds. */
  readonly value: unknown
  /** Called with the new value; an empty number is undefined. */
  readonly onChange: (value: unknown) => void
  /** Left out where the label stands outside. */
  readonly label?: string | undefined
  readonly description?: string | undefined
  readonly error?: string | undefined
  readonly isRequired?: boolean
  readonly isDisabled?: boolean
  /** Shows the value in grey, as one that comes from elsewhere. */
  readonly isDimmed?: boolean
}

/** The props of an input that a frame of Mantine's holds. */
export type FramedInputProps = ValueInputProps & {
  /** Label, description, error and the like. */
  readonly frame: Readonly<Record<string, unknown>>
}
