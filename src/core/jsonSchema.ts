import * as z from 'zod/mini'

/** A schema as the JSON schema that a model reads in the tool list, without what says nothing. */
export function toJsonSchema(schema: z.ZodMiniType): Record<string, unknown> {
  const { $schema, ...rest } = z.toJSONSchema(schema, {
    io: 'input',
    override: ({ jsonSchema: part }) => {
      // The bounds that `z.int()` brings along.
      if (part.minimum === Number.MIN_SAFE_INTEGER) delete part.minimum
      if (part.maximum === Number.MAX_SAFE_INTEGER) delete part.maximum
    },
  })
  return rest
}
