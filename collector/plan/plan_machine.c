// SPDX-License-Identifier: Apache-2.0
// What a plan says of the machine: where server and driver run, and how the driver connects.
#include <arpa/inet.h>
#include <string.h>

#include "collector/plan/plan_read.h"

#define ADDRESS_BYTES_MAX 15

static enum err_code io_read(struct plan_reader *reader, const struct plan_field *field,
                             const yaml_node_t *node, void *target)
{
    struct plan_machine *machine = target;
    const char *text = "";
    char quote[PLAN_QUOTE_BYTES];
    enum err_code code = plan_read_scalar(reader, field->key, "epoll or io_uring", node, &text);

    if (code == ERR_OK && !driver_io_parse(text, &machine->io)) {
        return plan_fail(reader, node, "%s: %s is not one of epoll, io_uring", field->key,
                         plan_quote(text, strlen(text), quote));
    }
    return code;
}

/* The servers are at 127.0.0.1, which every address of that network reaches. */
static enum err_code address_add(struct plan_reader *reader, const struct plan_field *field,
                                 const yaml_node_t *node, struct plan_machine *machine)
{
    const char *text = "";
    char quote[PLAN_QUOTE_BYTES];
    struct in_addr address;
    enum err_code code = plan_read_name(reader, field, node, &text);

    if (code != ERR_OK) {
        return code;
    }
    plan_quote(text, strlen(text), quote);
    if (inet_pton(AF_INET, text, &address) != 1 || ntohl(address.s_addr) >> 24 != IN_LOOPBACKNET) {
        return plan_fail(reader, node,
                         "%s: %s is no address of 127.0.0.0/8; write one like 127.0.0.2",
                         field->key, quote);
    }
    for (size_t i = 0; i < machine->source_address_count; i++) {
        if (strcmp(machine->source_addresses[i], text) == 0) {
            return plan_fail(reader, node, "%s: %s a second time; keep one", field->key, quote);
        }
    }
    if (machine->source_address_count == PLAN_ADDRESS_COUNT_MAX) {
        return plan_fail(reader, node,
                         "%s: more than %d; each has ports for some 28,000 connections", field->key,
                         PLAN_ADDRESS_COUNT_MAX);
    }
    machine->source_addresses[machine->source_address_count++] = text;
    return ERR_OK;
}

static enum err_code addresses_read(struct plan_reader *reader, const struct plan_field *field,
                                    const yaml_node_t *node, void *target)
{
    struct plan_machine *machine = target;
    enum err_code code = ERR_OK;

    if (node->type != YAML_SEQUENCE_NODE ||
        node->data.sequence.items.top == node->data.sequence.items.start) {
        return plan_fail(reader, node, "%s: write a list like [127.0.0.2, 127.0.0.3]", field->key);
    }
    machine->source_address_count = 0;
    for (const yaml_node_item_t *item = node->data.sequence.items.start;
         code == ERR_OK && item < node->data.sequence.items.top; item++) {
        code = address_add(reader, field, plan_yaml_node(reader, *item), machine);
    }
    return code;
}

static const struct plan_field machine_fields[] = {
    {.key = "server_cpus",
     .type = PLAN_FIELD_CPUS,
     .offset = offsetof(struct plan_machine, server_cpus)},
    {.key = "driver_cpus",
     .type = PLAN_FIELD_CPUS,
     .offset = offsetof(struct plan_machine, driver_cpus)},
    {.key = "nofile",
     .type = PLAN_FIELD_COUNT,
     .offset = offsetof(struct plan_machine, nofile),
     .maximum = 1 << 30},
    {.key = "driver_threads",
     .type = PLAN_FIELD_COUNT,
     .offset = offsetof(struct plan_machine, driver_threads),
     .maximum = 1024},
    {.key = "io", .type = PLAN_FIELD_OTHER, .read = io_read},
    {.key = "source_addresses",
     .type = PLAN_FIELD_OTHER,
     .maximum = ADDRESS_BYTES_MAX,
     .read = addresses_read},
};
const struct plan_table plan_machine_table = {
    .what = "machine", .fields = machine_fields, .field_count = ARRAY_COUNT(machine_fields)};

enum err_code plan_read_machine(struct plan_reader *reader, const struct plan_field *field,
                                const yaml_node_t *node, void *target)
{
    const yaml_node_t *found[ARRAY_COUNT(machine_fields)];

    return plan_fields_read(reader, &plan_machine_table, node, (char *)target + field->offset,
                            found);
}
