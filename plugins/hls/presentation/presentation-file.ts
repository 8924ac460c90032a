/**
 * What a file's name stands for: its bytes, as buffers that follow each other and are never changed (a segment is the
 * parts it is made of), or the promise that it will be there: the part that the playlist hints at.
 */
export type PresentationFile =
  | { readonly contentType: string; readonly buffers: readonly Buffer[]; readonly sizeBytes: number }
  | { readonly coming: true }
