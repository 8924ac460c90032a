import { ErrorSchemaBuilder, type RJSFSchema, type ValidatorType } from '@rjsf/utils'
import type { FieldSchema } from './field-schema.ts'
import type { FORM_WORDS } from './form-words.ts'
import { faultsOf } from './validator.ts'

type FaultWords = (typeof FORM_WORDS)['en']['fault']

/**
 * The validator of a form. It makes no code of schemas, which the Content-Security-Policy forbids.
 * @param schema the schema of the whole value, as it was before the form made it plain
 */
export function formValidator(schema: FieldSchema, words: FaultWords): ValidatorType {
  return {
    validateFormData(value) {
      const builder = new ErrorSchemaBuilder()
      const errors = faultsOf(schema, value).map(({ path, rule, limit }) => {
        const message = words[rule](limit)
        builder.addErrors(message, [...path])
        return { name: rule, property: path.join('.'), message, stack: `${path.join('.')} ${message}` }
      })
      return { errors, errorSchema: builder.ErrorSchema }
    },
    isValid: (one: RJSFSchema, value) => faultsOf(one as FieldSchema, value).length === 0,
    rawValidation: (one: RJSFSchema, value) => ({ errors: [...faultsOf(one as FieldSchema, value)] as never[] }),
  }
}
