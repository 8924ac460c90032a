/** The values of a schema as the host hands them out: durations in milliseconds, sizes in bytes, nothing can be changed. */
export type Frozen<Values> = Values extends object ? { readonly [Key in keyof Values]: Frozen<Values[Key]> } : Values

/** The values of a schema as a file has them: any key can be left out, and numbers may have units. */
export type Written<Values> = number extends Values
  ? Values | string
  : Values extends readonly unknown[]
    ? Values
    : Values extends object
      ? { readonly [Key in keyof Values]?: Written<Values[Key]> }
      : Values
