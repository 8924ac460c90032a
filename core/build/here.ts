/**
 * The folder of the module that this is part of. The build leaves this one place as it is; elsewhere `import.meta` names the
 * source, so that files beside it are found.
 */
export const HERE = import.meta.dirname
