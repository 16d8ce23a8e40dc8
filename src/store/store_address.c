/*-------------------------------------------------------------------------
 *
 * store_address.c
 *	  Which addresses a store may have.
 *
 * A superuser names a host, and DNS says where that is: whoever can change what
 * it says could turn requests to services that trust this machine.  So the
 * address is looked at that is connected to, not one that was looked up before.
 * Services that give a cloud's machine its credentials listen at link-local
 * addresses and at a few others; those are refused whatever names them.  So is
 * this machine, unless the endpoint names it as such.  Private networks are not:
 * that is where stores of one's own are.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <netinet/in.h>

#include "store/store.h"

/* A network of IPv4, or of IPv6. */
typedef struct Network4
{
	uint32		address;
	int			bits;
} Network4;

typedef struct Network6
{
	uint8		address[16];
	int			bits;
} Network6;

static const Network4 refused4[] = {
	{0x00000000, 8},			/* this network */
	{0x64646464, 30},			/* 100.100.100.100: DNS and metadata */
	{0x646464C8, 32},			/* 100.100.100.200: metadata */
	{0xA83F8110, 32},			/* 168.63.129.16: a cloud's agent */
	{0xA9FE0000, 16},			/* 169.254: link-local, metadata */
	{0xC0000000, 24},			/* 192.0.0: protocols, metadata */
	{0xE0000000, 3},			/* multicast, reserved, broadcast */
};

static const Network6 refused6[] = {
	{{0}, 128},					/* :: */
	{{0, 0x64, 0xFF, 0x9B, 0, 1}, 48},	/* 64:ff9b:1: translated */
	{{0x20, 0x01, 0, 0}, 32},	/* tunnelled */
	{{0xFD, 0x00, 0x0E, 0xC2}, 32}, /* fd00:ec2: metadata */
	{{0xFD, 0x20, 0x00, 0xCE}, 32}, /* fd20:ce: metadata */
	{{0xFE, 0x80}, 9},			/* link-local, and what was site-local */
	{{0xFF}, 8},				/* multicast */
};

/* Networks whose addresses have one of IPv4 in them, and from which byte on. */
static const struct
{
	Network6	network;
	int			at;
}			embedding[] = {
	{{{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF}, 96}, 12},
	{{{0, 0x64, 0xFF, 0x9B}, 96}, 12},
	{{{0x20, 0x02}, 16}, 2},
	{{{0}, 96}, 12},
};

static const uint8 loopback6[16] = {[15] = 1};

static bool allowed4(uint32 address, bool loopback);
static bool allowed6(const uint8 *address, bool loopback);
static bool is_in4(uint32 address, const Network4 *network);
static bool is_in6(const uint8 *address, const Network6 *network);

/*
 * store_address.c: may a store be there? "loopback": be it this machine.
 */
bool
store_address_allowed(const struct sockaddr *address, bool loopback)
{
	if (address->sa_family == AF_INET)
		return allowed4(ntohl(((const struct sockaddr_in *) address)->sin_addr.s_addr),
						loopback);
	if (address->sa_family == AF_INET6)
		return allowed6(((const struct sockaddr_in6 *) address)->sin6_addr.s6_addr,
						loopback);
	return false;
}

static bool
allowed4(uint32 address, bool loopback)
{
	for (int i = 0; i < lengthof(refused4); i++)
	{
		if (is_in4(address, &refused4[i]))
			return false;
	}
	return loopback || address >> 24 != 127;
}

static bool
allowed6(const uint8 *address, bool loopback)
{
	if (memcmp(address, loopback6, sizeof(loopback6)) == 0)
		return loopback;
	for (int i = 0; i < lengthof(refused6); i++)
	{
		if (is_in6(address, &refused6[i]))
			return false;
	}
	for (int i = 0; i < lengthof(embedding); i++)
	{
		const uint8 *p = address + embedding[i].at;

		if (is_in6(address, &embedding[i].network))
			return allowed4((uint32) p[0] << 24 | p[1] << 16 | p[2] << 8 | p[3],
							loopback);
	}
	return true;
}

static bool
is_in4(uint32 address, const Network4 *network)
{
	return ((address ^ network->address) >> (32 - network->bits)) == 0;
}

static bool
is_in6(const uint8 *address, const Network6 *network)
{
	int			bytes = network->bits / 8;
	int			bits = network->bits % 8;

	return memcmp(address, network->address, bytes) == 0 &&
		(bits == 0 ||
		 (address[bytes] ^ network->address[bytes]) >> (8 - bits) == 0);
}
